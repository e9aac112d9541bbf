package wirelab.codecs;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.util.NameTransformer;
import com.fasterxml.jackson.dataformat.xml.ser.ToXmlGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Unions in XML: an element whose attribute `type` has the alternative's name. */
final class XmlUnions {
    private static final String TYPE = "type";

    private XmlUnions() {}

    static final class Writer extends StdSerializer<Union> {
        Writer() {
            super(Union.class);
        }

        @Override
        public void serialize(Union value, JsonGenerator out, SerializerProvider provider) throws IOException {
            ToXmlGenerator xml = (ToXmlGenerator) out;
            String element = findElement(xml);
            xml.writeStartObject();
            xml.setNextIsAttribute(true);
            xml.writeStringField(TYPE, value.name());
            xml.setNextIsAttribute(false);
            writeContent(value.content(), element, xml, provider);
            xml.writeEndObject();
        }

        private void writeContent(Object content, String element, ToXmlGenerator xml, SerializerProvider provider)
                throws IOException {
            if (content instanceof List<?> list) {
                for (Object item : list) {
                    xml.writeFieldName(element);
                    provider.defaultSerializeValue(item, xml);
                }
            } else if (content instanceof Map<?, ?> map) {
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    xml.writeFieldName((String) entry.getKey());
                    provider.defaultSerializeValue(entry.getValue(), xml);
                }
            } else if (isScalar(content.getClass())) {
                xml.setNextIsUnwrapped(true);
                xml.writeFieldName("");
                provider.defaultSerializeValue(content, xml);
            } else {
                provider.findValueSerializer(content.getClass()).unwrappingSerializer(NameTransformer.NOP)
                        .serialize(content, xml, provider);
            }
        }

        /** The name of the element that is open. A list's items have the name of the list. */
        private static String findElement(ToXmlGenerator xml) {
            var context = xml.getOutputContext();
            while (context.inArray()) {
                context = context.getParent();
            }
            return context.getCurrentName() == null ? "message" : context.getCurrentName();
        }
    }

    private static boolean isScalar(Class<?> type) {
        return type.isPrimitive() || Number.class.isAssignableFrom(type) || type == Boolean.class
                || type == String.class || type == byte[].class || type == Timestamp.class || type == Unsigned.class;
    }

    /** The name of the alternative, which is the first field; "" if another field is. */
    static String readName(JsonParser in) throws IOException {
        String name = TYPE.equals(in.currentName()) ? in.nextTextValue() : "";
        return name == null ? "" : name;
    }

    /** The content of the element whose attribute was read, up to its end. */
    static Object readContent(UnionReader.Content content, JsonParser in, DeserializationContext context)
            throws IOException {
        JsonToken token = in.nextToken();
        if (List.class.isAssignableFrom(content.type().getRawClass())) {
            return readItems(content.type().getContentType(), in, context);
        }
        if (!isScalar(content.type().getRawClass())) {
            return content.reader().deserialize(in, context);
        }
        if (token == JsonToken.END_OBJECT) {
            JsonParser empty = TextNode.valueOf("").traverse();
            empty.nextToken();
            return content.reader().deserialize(empty, context);
        }
        in.nextToken();
        Object value = content.reader().deserialize(in, context);
        in.nextToken();
        return value;
    }

    private static List<Object> readItems(JavaType type, JsonParser in, DeserializationContext context)
            throws IOException {
        JsonDeserializer<Object> reader = context.findRootValueDeserializer(type);
        List<Object> items = new ArrayList<>();
        while (in.currentToken() == JsonToken.FIELD_NAME) {
            JsonToken token = in.nextToken();
            items.add(token == JsonToken.VALUE_NULL ? reader.getNullValue(context) : reader.deserialize(in, context));
            in.nextToken();
        }
        return items;
    }
}
