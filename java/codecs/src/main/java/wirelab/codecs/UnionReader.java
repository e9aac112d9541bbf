package wirelab.codecs;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.ResolvableDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.fasterxml.jackson.dataformat.xml.deser.FromXmlParser;
import java.io.IOException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads a union from a format whose values tell their kind: the first alternative that takes the
 * value. A generated subclass overrides the methods of the kinds that it has.
 */
public abstract class UnionReader<U> extends StdDeserializer<U> implements ResolvableDeserializer {
    /** The type of an alternative, and how it is read. */
    record Content(JavaType type, JsonDeserializer<Object> reader) {}

    private final List<Form> lists = new ArrayList<>();
    private final List<Form> objects = new ArrayList<>();
    private final List<String> names;
    private final List<Class<? extends Record>> alternatives;
    private final List<Content> contents = new ArrayList<>();

    /**
     * `names` and `alternatives` are in the order of the alternatives; `forms` are those of lists
     * and objects.
     */
    protected UnionReader(
            Class<U> type, List<String> names, List<Class<? extends Record>> alternatives, Form... forms) {
        super(type);
        this.names = names;
        this.alternatives = alternatives;
        for (Form form : forms) {
            (form.isList() ? lists : objects).add(form);
        }
    }

    @Override
    public void resolve(DeserializationContext context) throws JsonMappingException {
        for (Class<? extends Record> alternative : alternatives) {
            JavaType type = context.constructType(alternative.getRecordComponents()[0].getGenericType());
            contents.add(new Content(type, context.findRootValueDeserializer(type)));
        }
    }

    @Override
    public boolean isCachable() {
        return true;
    }

    /** The alternative of this number. */
    protected abstract U make(int alternative, Object content);

    protected U readBool(boolean value) throws IOException {
        throw refuse(value);
    }

    protected U readInteger(JsonParser in) throws IOException {
        throw refuse(in.getText());
    }

    protected U readReal(JsonParser in) throws IOException {
        throw refuse(in.getText());
    }

    protected U readText(String text) throws IOException {
        throw refuse(text);
    }

    protected U readBytes(byte[] value) throws IOException {
        throw refuse(value.length + " bytes");
    }

    @Override
    public U deserialize(JsonParser in, DeserializationContext context) throws IOException {
        if (in instanceof FromXmlParser) {
            if (in.nextToken() == JsonToken.END_OBJECT) {
                // What the parser makes of null (xsi:nil) after an element with content in a list.
                return null;
            }
            int number = names.indexOf(XmlUnions.readName(in));
            if (number < 0) {
                throw refuse("an element of another type");
            }
            return make(number, XmlUnions.readContent(contents.get(number), in, context));
        }
        JsonToken token = in.currentToken();
        return switch (token) {
            case VALUE_TRUE, VALUE_FALSE -> readBool(token == JsonToken.VALUE_TRUE);
            case VALUE_NUMBER_INT -> readInteger(in);
            case VALUE_NUMBER_FLOAT -> readReal(in);
            case VALUE_STRING -> readText(in.getText());
            case VALUE_EMBEDDED_OBJECT -> readBytes(in.getBinaryValue());
            case START_ARRAY -> readFirst(in, context, lists);
            case START_OBJECT, FIELD_NAME, END_OBJECT -> readFirst(in, context, objects);
            default -> throw refuse(token);
        };
    }

    /**
     * The first of the forms that takes a list or an object, which is read twice if there are
     * several.
     */
    private U readFirst(JsonParser in, DeserializationContext context, List<Form> forms) throws IOException {
        if (forms.size() == 1) {
            return read(forms.get(0), in, context);
        }
        TokenBuffer all = context.bufferAsCopyOfValue(in);
        Set<String> keys = new HashSet<>();
        int items = countItems(all, keys);
        for (Form form : forms) {
            if (form.isList() ? form.takes(items) : form.takes(keys)) {
                try (JsonParser again = all.asParserOnFirstToken()) {
                    return read(form, again, context);
                } catch (JacksonException | DateTimeException | ArithmeticException e) {
                    // The next one may fit.
                }
            }
        }
        throw refuse(in.currentToken() == JsonToken.END_ARRAY ? "a list" : "an object");
    }

    private U read(Form form, JsonParser in, DeserializationContext context) throws IOException {
        return make(form.alternative(), contents.get(form.alternative()).reader().deserialize(in, context));
    }

    /** The number of items of a list, or the keys of an object. */
    private static int countItems(TokenBuffer all, Set<String> keys) throws IOException {
        int items = 0;
        try (JsonParser in = all.asParserOnFirstToken()) {
            boolean isList = in.currentToken() == JsonToken.START_ARRAY;
            while (!in.nextToken().isStructEnd()) {
                if (isList) {
                    items++;
                } else {
                    keys.add(in.currentName());
                    in.nextToken();
                }
                in.skipChildren();
            }
        }
        return items;
    }

    /** An RFC 3339 timestamp; null for any other text. */
    protected static Timestamp parseTimestamp(String text) {
        if (text.length() < 20 || text.charAt(4) != '-' || text.charAt(10) != 'T') {
            return null;
        }
        try {
            return Timestamp.parse(text);
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** The bytes of padded standard base64; null for any other text. */
    protected static byte[] parseBase64(String text) {
        if (text.length() % 4 != 0) {
            return null;
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            return Base64.getEncoder().encodeToString(bytes).equals(text) ? bytes : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    protected static long requireRange(long value, long low, long high) throws IOException {
        if (value < low || value > high) {
            throw refuse(value);
        }
        return value;
    }

    private static IOException refuse(Object value) {
        return new JsonMappingException(null, "no alternative of the union takes " + value);
    }
}
