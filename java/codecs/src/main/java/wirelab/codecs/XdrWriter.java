package wirelab.codecs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes XDR (RFC 4506): units of four bytes, big-endian. */
public final class XdrWriter {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final Output out;

    public XdrWriter(Output out) {
        this.out = out;
    }

    public void putInt(int value) {
        INT.set(out.reserve(4), out.size(), value);
        out.advance(4);
    }

    public void putLong(long value) {
        LONG.set(out.reserve(8), out.size(), value);
        out.advance(8);
    }

    public void putBool(boolean value) {
        putInt(value ? 1 : 0);
    }

    public void putFloat(float value) {
        putInt(Float.floatToRawIntBits(value));
    }

    public void putDouble(double value) {
        putLong(Double.doubleToRawLongBits(value));
    }

    public void putText(String value) {
        putBytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** Write the length, the bytes, and zeros up to a multiple of four. */
    public void putBytes(byte[] value) {
        putInt(value.length);
        int padded = value.length + 3 & ~3;
        byte[] room = out.reserve(padded);
        System.arraycopy(value, 0, room, out.size(), value.length);
        for (int i = value.length; i < padded; i++) {
            room[out.size() + i] = 0;
        }
        out.advance(padded);
    }
}
