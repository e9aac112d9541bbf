package wirelab.codecs;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** A growing buffer, reused for all messages. */
public final class Output extends OutputStream implements WritableByteChannel {
    private byte[] bytes = new byte[1 << 16];
    private int size;

    public void clear() {
        size = 0;
    }

    public int size() {
        return size;
    }

    /** A copy of the written bytes. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    /**
     * The array, with space for `more` bytes from {@link #size()} on. Call {@link #advance} after
     * writing to it.
     */
    public byte[] reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, more)));
        }
        return bytes;
    }

    public void advance(int written) {
        size += written;
    }

    @Override
    public void write(int one) {
        reserve(1)[size++] = (byte) one;
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        System.arraycopy(source, offset, reserve(length), size, length);
        size += length;
    }

    @Override
    public int write(ByteBuffer source) {
        int length = source.remaining();
        source.get(reserve(length), size, length);
        size += length;
        return length;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    /** Does nothing: writers close their output, but this buffer is reused. */
    @Override
    public void close() {}
}
