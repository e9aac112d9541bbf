package wirelab.codecs;

import java.math.BigInteger;

/** An integer whose range goes beyond 2^63-1, as its 64 bits. */
public record Unsigned(long bits) {
    private static final BigInteger TOP = BigInteger.ONE.shiftLeft(63);

    /** Throws ArithmeticException for what is no unsigned integer of 64 bits. */
    public static Unsigned of(BigInteger value) {
        if (value.signum() < 0 || value.bitLength() > 64) {
            throw new ArithmeticException(value + " is no unsigned integer of 64 bits");
        }
        return new Unsigned(value.longValue());
    }

    public BigInteger value() {
        BigInteger low = BigInteger.valueOf(bits & Long.MAX_VALUE);
        return bits < 0 ? low.add(TOP) : low;
    }
}
