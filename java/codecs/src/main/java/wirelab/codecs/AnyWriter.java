package wirelab.codecs;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.dataformat.xml.ser.ToXmlGenerator;
import de.undercouch.bson4jackson.BsonGenerator;
import java.io.IOException;
import java.util.Map;

/** Writes any value: as the format's own, and as JSON text in XML. */
final class AnyWriter extends StdSerializer<Any> {
    /** How floats are written. */
    enum Form {
        /** as the format has them */
        OWN,
        /** the text that all languages have */
        TEXT
    }

    AnyWriter() {
        super(Any.class);
    }

    @Override
    public void serialize(Any any, JsonGenerator out, SerializerProvider provider) throws IOException {
        if (out instanceof ToXmlGenerator) {
            out.writeString(any.text());
        } else {
            write(any.value(), out, Form.OWN);
        }
    }

    static void write(JsonNode value, JsonGenerator out, Form form) throws IOException {
        switch (value.getNodeType()) {
            case BOOLEAN -> out.writeBoolean(value.booleanValue());
            case NUMBER -> writeNumber(value, out, form);
            case STRING -> out.writeString(value.textValue());
            case ARRAY -> {
                out.writeStartArray(value, value.size());
                for (JsonNode item : value) {
                    write(item, out, form);
                }
                out.writeEndArray();
            }
            case OBJECT -> {
                out.writeStartObject(value, value.size());
                for (Map.Entry<String, JsonNode> entry : value.properties()) {
                    out.writeFieldName(entry.getKey());
                    write(entry.getValue(), out, form);
                }
                out.writeEndObject();
            }
            default -> out.writeNull();
        }
    }

    private static void writeNumber(JsonNode value, JsonGenerator out, Form form) throws IOException {
        // In a tree that was not read as any value, integers may have more than 64 bits.
        boolean isReal = value.isFloatingPointNumber() || !fits(value);
        if (isReal && form == Form.TEXT) {
            out.writeNumber(Any.show(value.doubleValue()));
        } else if (isReal) {
            out.writeNumber(value.doubleValue());
        } else if (value.canConvertToLong()) {
            out.writeNumber(value.longValue());
        } else if (out instanceof BsonGenerator) {
            // The library writes integers beyond 64 bits with a sign as text.
            out.writeNumber(value.doubleValue());
        } else {
            out.writeNumber(value.bigIntegerValue());
        }
    }

    private static boolean fits(JsonNode value) {
        return value.canConvertToLong() || AnyReader.fits(value.bigIntegerValue());
    }
}
