package wirelab.codecs;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;

/**
 * Writes a union as its plain value, and a timestamp in it as text, which tells it from a number.
 */
final class UnionWriter extends StdSerializer<Union> {
    UnionWriter() {
        super(Union.class);
    }

    @Override
    public void serialize(Union value, JsonGenerator out, SerializerProvider provider) throws IOException {
        Object content = value.content();
        if (content instanceof Timestamp) {
            out.writeString(content.toString());
        } else {
            provider.defaultSerializeValue(content, out);
        }
    }
}
