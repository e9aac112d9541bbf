package wirelab.codecs;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads XDR (RFC 4506). Every method throws IOException where the bytes end too early or say what cannot be. */
public final class XdrReader {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final byte[] bytes;
    private int at;

    public XdrReader(byte[] bytes) {
        this.bytes = bytes;
    }

    public int getInt() throws IOException {
        int from = take(4);
        return (int) INT.get(bytes, from);
    }

    public long getLong() throws IOException {
        int from = take(8);
        return (long) LONG.get(bytes, from);
    }

    public boolean getBool() throws IOException {
        int value = getInt();
        if (value != 0 && value != 1) {
            throw new IOException(value + " is no boolean");
        }
        return value == 1;
    }

    public float getFloat() throws IOException {
        return Float.intBitsToFloat(getInt());
    }

    public double getDouble() throws IOException {
        return Double.longBitsToDouble(getLong());
    }

    public String getText() throws IOException {
        int length = length(1);
        int from = take(length + 3 & ~3);
        return new String(bytes, from, length, StandardCharsets.UTF_8);
    }

    public byte[] getBytes() throws IOException {
        int length = length(1);
        int from = take(length + 3 & ~3);
        return Arrays.copyOfRange(bytes, from, from + length);
    }

    /** A count of items that take at least four bytes each: one beyond what is left is refused before anything is allocated. */
    public int count() throws IOException {
        return length(4);
    }

    /** Refuse bytes after the message. */
    public void end() throws IOException {
        Buffers.requireEnd(bytes.length - at);
    }

    private int length(int least) throws IOException {
        int length = getInt();
        if (length < 0 || (long) length * least > bytes.length - at) {
            throw new IOException("a length beyond the end of the message");
        }
        return length;
    }

    private int take(int count) throws IOException {
        if (bytes.length - at < count) {
            throw new IOException("the message ends too early");
        }
        at += count;
        return at - count;
    }
}
