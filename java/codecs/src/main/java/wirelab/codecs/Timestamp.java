package wirelab.codecs;

import java.time.DateTimeException;
import java.time.LocalDate;

/**
 * An instant in ns since 1970, and its notation: fraction digits of the second, and minutes east of
 * UTC or {@link #Z}. Binary formats carry only the instant; it is then written in UTC with 0, 3, 6
 * or 9 digits.
 */
public record Timestamp(long nanos, int digits, int offset) {
    /** The offset of a timestamp written with Z. */
    public static final int Z = Integer.MIN_VALUE;

    private static final long SECOND = 1_000_000_000L;
    private static final long DAY_S = 86_400;
    private static final int[] POWERS = {
        1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1
    };

    /** The instant, written in UTC. */
    public static Timestamp ofNanos(long nanos) {
        long fraction = Math.floorMod(nanos, SECOND);
        int digits = fraction == 0 ? 0 : fraction % 1_000_000 == 0 ? 3 : fraction % 1_000 == 0 ? 6 : 9;
        return new Timestamp(nanos, digits, Z);
    }

    /**
     * RFC 3339 with an upper-case T and Z. Throws DateTimeException for anything else, or beyond 64
     * bits of ns.
     */
    public static Timestamp parse(String text) {
        if (text.length() < 20 || text.charAt(4) != '-' || text.charAt(7) != '-' || text.charAt(10) != 'T'
                || text.charAt(13) != ':' || text.charAt(16) != ':') {
            throw reject(text);
        }
        long day = LocalDate.of(parseNumber(text, 0, 4), parseNumber(text, 5, 7), parseNumber(text, 8, 10)).toEpochDay();
        int hour = parseNumber(text, 11, 13);
        int minute = parseNumber(text, 14, 16);
        int second = parseNumber(text, 17, 19);
        int end = 19;
        long fraction = 0;
        if (text.charAt(19) == '.') {
            end = 20;
            while (end < text.length() && Character.digit(text.charAt(end), 10) >= 0) {
                end++;
            }
            if (end == 20 || end > 29) {
                throw reject(text);
            }
            fraction = (long) parseNumber(text, 20, end) * POWERS[end - 20];
        }
        int offset = parseOffset(text, end);
        if (hour > 23 || minute > 59 || second > 59) {
            throw reject(text);
        }
        long seconds = day * DAY_S + hour * 3600L + minute * 60L + second - (offset == Z ? 0 : offset * 60L);
        try {
            // Before 1970 the seconds round down, so their product alone may overflow.
            long nanos = seconds < 0
                    ? Math.addExact(Math.multiplyExact(seconds + 1, SECOND), fraction - SECOND)
                    : Math.addExact(Math.multiplyExact(seconds, SECOND), fraction);
            return new Timestamp(nanos, Math.max(0, end - 20), offset);
        } catch (ArithmeticException e) {
            throw reject(text);
        }
    }

    private static int parseOffset(String text, int at) {
        if (at + 1 == text.length() && text.charAt(at) == 'Z') {
            return Z;
        }
        boolean isSigned = at + 6 == text.length() && text.charAt(at + 3) == ':';
        if (!isSigned || text.charAt(at) != '+' && text.charAt(at) != '-') {
            throw reject(text);
        }
        int hours = parseNumber(text, at + 1, at + 3);
        int minutes = parseNumber(text, at + 4, at + 6);
        int total = hours * 60 + minutes;
        if (hours > 23 || minutes > 59 || text.charAt(at) == '-' && total == 0) {
            throw reject(text);
        }
        return text.charAt(at) == '-' ? -total : total;
    }

    private static int parseNumber(String text, int start, int end) {
        int value = 0;
        for (int i = start; i < end; i++) {
            char sign = text.charAt(i);
            if (sign < '0' || sign > '9') {
                throw reject(text);
            }
            value = value * 10 + sign - '0';
        }
        return value;
    }

    private static DateTimeException reject(String text) {
        return new DateTimeException("'" + text + "' is not an RFC 3339 timestamp");
    }

    /** RFC 3339 in the original notation. */
    @Override
    public String toString() {
        long fraction = Math.floorMod(nanos, SECOND);
        long seconds = Math.floorDiv(nanos, SECOND) + (offset == Z ? 0 : offset * 60L);
        LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(seconds, DAY_S));
        int second = (int) Math.floorMod(seconds, DAY_S);
        StringBuilder text = new StringBuilder(35);
        appendPadded(text, date.getYear(), 4).append('-');
        appendPadded(text, date.getMonthValue(), 2).append('-');
        appendPadded(text, date.getDayOfMonth(), 2).append('T');
        appendPadded(text, second / 3600, 2).append(':');
        appendPadded(text, second / 60 % 60, 2).append(':');
        appendPadded(text, second % 60, 2);
        if (digits > 0) {
            appendPadded(text.append('.'), fraction / POWERS[digits], digits);
        }
        if (offset == Z) {
            return text.append('Z').toString();
        }
        appendPadded(text.append(offset < 0 ? '-' : '+'), Math.abs(offset) / 60, 2).append(':');
        return appendPadded(text, Math.abs(offset) % 60, 2).toString();
    }

    private static StringBuilder appendPadded(StringBuilder text, long value, int width) {
        String digits = Long.toString(value);
        return text.append("0".repeat(width - digits.length())).append(digits);
    }
}
