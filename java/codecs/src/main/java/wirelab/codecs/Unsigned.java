package wirelab.codecs;

import java.math.BigInteger;

/** An unsigned 64-bit integer, for ranges that exceed 2^63-1. */
public record Unsigned(long bits) {
    private static final BigInteger TOP = BigInteger.ONE.shiftLeft(63);

    /** Throws ArithmeticException for a value out of range. */
    public static Unsigned of(BigInteger value) {
        if (value.signum() < 0 || value.bitLength() > 64) {
            throw new ArithmeticException(value + " is not an unsigned 64-bit integer");
        }
        return new Unsigned(value.longValue());
    }

    public BigInteger value() {
        BigInteger low = BigInteger.valueOf(bits & Long.MAX_VALUE);
        return bits < 0 ? low.add(TOP) : low;
    }
}
