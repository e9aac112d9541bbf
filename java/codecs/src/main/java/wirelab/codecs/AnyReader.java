package wirelab.codecs;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.xml.deser.FromXmlParser;
import java.io.IOException;
import java.math.BigInteger;

/** Reads any value: the format's own, and JSON text in XML. */
final class AnyReader extends StdDeserializer<Any> {
    /** Levels of lists and objects within each other, the same as in Rust. */
    private static final int MOST_LEVELS = 128;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    AnyReader() {
        super(Any.class);
    }

    @Override
    public Any deserialize(JsonParser in, DeserializationContext context) throws IOException {
        if (in instanceof FromXmlParser) {
            return Any.parse(readText(in, this, context));
        }
        return read(in);
    }

    /** The text of a scalar. In XML the root element is an object. */
    static String readText(JsonParser in, StdDeserializer<?> reader, DeserializationContext context)
            throws IOException {
        return in.currentToken() == JsonToken.START_OBJECT
                ? context.extractScalarFromObject(in, reader, reader.handledType())
                : in.getText();
    }

    @Override
    public Any getNullValue(DeserializationContext context) {
        return Any.NULL;
    }

    /** The value whose first token is the current one. */
    static Any read(JsonParser in) throws IOException {
        return new Any(read(in, MOST_LEVELS));
    }

    private static JsonNode read(JsonParser in, int levels) throws IOException {
        JsonToken token = in.currentToken();
        return switch (token) {
            case VALUE_NULL -> NODES.nullNode();
            case VALUE_TRUE, VALUE_FALSE -> NODES.booleanNode(token == JsonToken.VALUE_TRUE);
            case VALUE_NUMBER_INT -> readInteger(in);
            case VALUE_NUMBER_FLOAT -> readReal(in.getDoubleValue());
            case VALUE_STRING -> NODES.textNode(in.getText());
            case START_ARRAY -> readList(in, levels - 1);
            case START_OBJECT -> readObject(in, levels - 1);
            default -> throw refuse("a value that JSON does not have");
        };
    }

    private static JsonNode readList(JsonParser in, int levels) throws IOException {
        requireLevel(levels);
        ArrayNode list = NODES.arrayNode();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            list.add(read(in, levels));
        }
        return list;
    }

    private static JsonNode readObject(JsonParser in, int levels) throws IOException {
        requireLevel(levels);
        ObjectNode object = NODES.objectNode();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String key = in.currentName();
            in.nextToken();
            object.set(key, read(in, levels));
        }
        return object;
    }

    /** An integer beyond 64 bits is a float, and so is -0. */
    private static JsonNode readInteger(JsonParser in) throws IOException {
        if (in.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            long value = in.getLongValue();
            boolean isNegativeZero = value == 0 && in.getText().startsWith("-");
            return isNegativeZero ? NODES.numberNode(-0.0) : NODES.numberNode(value);
        }
        BigInteger value = in.getBigIntegerValue();
        return fits(value) ? NODES.numberNode(value) : readReal(value.doubleValue());
    }

    /** Whether an integer has at most 64 bits. */
    static boolean fits(BigInteger value) {
        return value.bitLength() <= (value.signum() < 0 ? 63 : 64);
    }

    private static JsonNode readReal(double value) throws IOException {
        if (!Double.isFinite(value)) {
            throw refuse("a number beyond 64-bit floats");
        }
        return NODES.numberNode(value);
    }

    private static void requireLevel(int levels) throws IOException {
        if (levels < 0) {
            throw refuse("more than " + MOST_LEVELS + " levels");
        }
    }

    private static IOException refuse(String what) {
        return new JsonMappingException(null, "a value of any type has " + what);
    }
}
