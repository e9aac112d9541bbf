package wirelab.codecs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The checksum of docs/contracts/pack.md. It is equal for the same message in all formats and
 * languages.
 */
public final class Checksum {
    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;
    private static final VarHandle WORDS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private long value;

    /** The checksum of all values added so far. */
    public long value() {
        return value;
    }

    public void addWord(long word) {
        value = (Long.rotateLeft(value, 5) ^ word) * MULTIPLIER;
    }

    public void addBool(boolean flag) {
        addWord(flag ? 1 : 0);
    }

    /** -0 counts as 0. */
    public void addNumber(double number) {
        addWord(Double.doubleToRawLongBits(number + 0.0));
    }

    public void addText(String text) {
        addBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Adds the length, then the first and the last eight bytes, or all bytes if there are fewer.
     */
    public void addBytes(byte[] bytes) {
        addWord(bytes.length);
        if (bytes.length >= 8) {
            addWord((long) WORDS.get(bytes, 0));
            addWord((long) WORDS.get(bytes, bytes.length - 8));
            return;
        }
        long word = 0;
        for (int i = bytes.length - 1; i >= 0; i--) {
            word = word << 8 | bytes[i] & 0xff;
        }
        addWord(word);
    }

    /** Add an optional value that is absent. */
    public void addAbsent() {
        addWord(0);
    }

    /** Add the mark of an optional value that is present; the value follows. */
    public void addPresent() {
        addWord(1);
    }
}
