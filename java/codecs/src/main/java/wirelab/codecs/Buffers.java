package wirelab.codecs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.thrift.TConfiguration;

/** Helpers of generated code: byte buffers and settings of libraries. */
public final class Buffers {
    /**
     * Thrift's default limits are meant for network servers (100 MB per message, 16 MB per frame,
     * 64 levels).
     */
    public static final TConfiguration THRIFT = new TConfiguration(Integer.MAX_VALUE, Integer.MAX_VALUE, 1000);

    private Buffers() {}

    /** A copy of a buffer's remaining bytes. Leaves the buffer unchanged. */
    public static byte[] copyBytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /** Throws IOException if bytes remain after a message. */
    public static void requireEnd(int remaining) throws IOException {
        if (remaining != 0) {
            throw new IOException("bytes after the end of the message");
        }
    }

    /**
     * The native value of a field that may be absent or null, from a format that cannot distinguish
     * the two.
     */
    public static <T> Optional<T> toOptional(T value) {
        return value == null ? null : Optional.of(value);
    }

    /** The exception for an alternative of a union that is not in the schema. */
    public static IllegalArgumentException noAlternative(Object number) {
        return new IllegalArgumentException("the union has no alternative " + number);
    }

    /** The alternative that a union is. Throws IllegalArgumentException for null. */
    public static <T> T requireAlternative(T which) {
        if (which == null) {
            throw noAlternative("of this number");
        }
        return which;
    }

    public static Schema parseAvroSchema(InputStream text) throws IOException {
        try (text) {
            return new Schema.Parser().parse(new String(text.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
