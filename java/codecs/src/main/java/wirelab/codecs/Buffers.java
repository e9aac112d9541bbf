package wirelab.codecs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.thrift.TConfiguration;

/** What generated code needs of byte buffers and of the libraries' settings. */
public final class Buffers {
    /** Thrift's own limits are those of a network server (100 MB a message, 16 MB a frame, 64 levels). */
    public static final TConfiguration THRIFT = new TConfiguration(Integer.MAX_VALUE, Integer.MAX_VALUE, 1000);

    private Buffers() {}

    /** The bytes that a buffer has left; it stays as it is. */
    public static byte[] copyBytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /** Throws IOException where bytes are left over after a message. */
    public static void requireEnd(int left) throws IOException {
        if (left != 0) {
            throw new IOException("bytes after the end of the message");
        }
    }

    /** A key that may be absent and a value that may be null, where a format knows only whether there is a value. */
    public static <T> Optional<T> toOptional(T value) {
        return value == null ? null : Optional.of(value);
    }

    public static Schema parseAvroSchema(InputStream text) throws IOException {
        try (text) {
            return new Schema.Parser().parse(new String(text.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
