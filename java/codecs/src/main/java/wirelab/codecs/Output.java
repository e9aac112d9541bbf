package wirelab.codecs;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** A buffer that is reused from message to message. */
public final class Output extends OutputStream implements WritableByteChannel {
    private byte[] bytes = new byte[1 << 16];
    private int size;

    public void clear() {
        size = 0;
    }

    public int size() {
        return size;
    }

    /** A copy of what was written. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    /** The array, with room for `more` bytes from {@link #size()} on; {@link #advance} says how many were written. */
    public byte[] room(int more) {
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
        room(1)[size++] = (byte) one;
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        System.arraycopy(source, offset, room(length), size, length);
        size += length;
    }

    @Override
    public int write(ByteBuffer source) {
        int length = source.remaining();
        source.get(room(length), size, length);
        size += length;
        return length;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    /** Writers close what they wrote to; a buffer that is reused stays open. */
    @Override
    public void close() {}
}
