package wirelab.codecs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ValueNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;

/** Helpers of generated code: Jackson's JSON tree. */
public final class Dom {
    public static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Dom() {}

    /** The value of a key; null if the key is absent or its value is JSON's null. */
    public static JsonNode getValue(JsonNode object, String key) {
        JsonNode value = object.get(key);
        return value == null || value.isNull() ? null : value;
    }

    /** The item at a position; null if it is JSON's null. */
    public static JsonNode getValue(JsonNode list, int index) {
        return nullToNone(list.get(index));
    }

    public static boolean isLong(JsonNode value) {
        return value.isIntegralNumber() && value.canConvertToLong();
    }

    public static boolean isUnsigned(JsonNode value) {
        return value.isIntegralNumber() && value.bigIntegerValue().signum() >= 0;
    }

    public static boolean isTimestamp(JsonNode value) {
        return value.isTextual() && UnionReader.parseTimestamp(value.textValue()) != null;
    }

    /** Whether a node is bytes, or their base64. */
    public static boolean isBase64(JsonNode value) {
        return value.isBinary() || value.isTextual() && UnionReader.parseBase64(value.textValue()) != null;
    }

    /** The value; null for JSON's null. */
    public static JsonNode nullToNone(JsonNode value) {
        return value.isNull() ? null : value;
    }

    /** The entries of an object, sorted as FlatBuffers requires for keys. */
    public static SortedKeys<JsonNode> sortKeys(JsonNode object) {
        SortedKeys<JsonNode> sorted = new SortedKeys<>();
        object.properties().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        return sorted;
    }

    public static byte[] decodeBase64(JsonNode text) {
        try {
            return text.binaryValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static long parseNanos(JsonNode text) {
        return Timestamp.parse(text.textValue()).nanos();
    }

    public static ValueNode createTimestamp(long nanos) {
        return NODES.textNode(Timestamp.ofNanos(nanos).toString());
    }

    public static ValueNode createDecimal(String text) {
        return DecimalNode.valueOf(new BigDecimal(text));
    }

    /** A node for an unsigned 64-bit integer. */
    public static ValueNode createUnsigned(long bits) {
        return bits >= 0 ? NODES.numberNode(bits) : NODES.numberNode(new Unsigned(bits).value());
    }
}
