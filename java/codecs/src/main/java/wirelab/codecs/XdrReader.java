package wirelab.codecs;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads XDR (RFC 4506). All methods throw IOException for truncated or invalid input. */
public final class XdrReader {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final int MAX_DEPTH = 1000;

    private final byte[] bytes;
    private int at;
    private int depth;

    public XdrReader(byte[] bytes) {
        this.bytes = bytes;
    }

    public int getInt() throws IOException {
        int from = skip(4);
        return (int) INT.get(bytes, from);
    }

    public long getLong() throws IOException {
        int from = skip(8);
        return (long) LONG.get(bytes, from);
    }

    public boolean getBool() throws IOException {
        int value = getInt();
        if (value != 0 && value != 1) {
            throw new IOException(value + " is not a boolean");
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
        int length = getLength(1);
        int from = skip(length + 3 & ~3);
        return new String(bytes, from, length, StandardCharsets.UTF_8);
    }

    public byte[] getBytes() throws IOException {
        int length = getLength(1);
        int from = skip(length + 3 & ~3);
        return Arrays.copyOfRange(bytes, from, from + length);
    }

    /**
     * Read the length of a list whose items take at least four bytes each. Rejects an impossible
     * length before allocation.
     */
    public int getCount() throws IOException {
        return getLength(4);
    }

    /**
     * Begin a record that may contain itself. Rejects more than 1,000 levels, as other libraries
     * do.
     */
    public void enter() throws IOException {
        if (++depth > MAX_DEPTH) {
            throw new IOException("more than " + MAX_DEPTH + " levels of records");
        }
    }

    /** End a record that may contain itself. */
    public void leave() {
        depth--;
    }

    /** Throws IOException if bytes remain after the message. */
    public void requireEnd() throws IOException {
        Buffers.requireEnd(bytes.length - at);
    }

    private int getLength(int itemBytes) throws IOException {
        int length = getInt();
        if (length < 0 || (long) length * itemBytes > bytes.length - at) {
            throw new IOException("a length exceeds the rest of the message");
        }
        return length;
    }

    private int skip(int count) throws IOException {
        if (bytes.length - at < count) {
            throw new IOException("the message is truncated");
        }
        at += count;
        return at - count;
    }
}
