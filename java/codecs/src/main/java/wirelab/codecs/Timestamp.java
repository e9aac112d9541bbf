package wirelab.codecs;

import java.time.DateTimeException;
import java.time.LocalDate;

/**
 * An instant in ns since 1970, and how it was written: digits of a second, and minutes east of UTC or {@link #Z}.
 * Binary formats carry the instant alone; it comes back in UTC with 0, 3, 6 or 9 digits.
 */
public record Timestamp(long nanos, int digits, int offset) {
    /** The offset of a timestamp written with Z. */
    public static final int Z = Integer.MIN_VALUE;

    private static final long SECOND = 1_000_000_000L;
    private static final long DAY_S = 86_400;
    private static final int[] POWERS = {
        1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1
    };

    /** The instant, to be written in UTC. */
    public static Timestamp ofNanos(long nanos) {
        long fraction = Math.floorMod(nanos, SECOND);
        int digits = fraction == 0 ? 0 : fraction % 1_000_000 == 0 ? 3 : fraction % 1_000 == 0 ? 6 : 9;
        return new Timestamp(nanos, digits, Z);
    }

    /** RFC 3339 with an upper-case T and Z. Throws DateTimeException for anything else, or beyond 64 bits of ns. */
    public static Timestamp parse(String text) {
        if (text.length() < 20 || text.charAt(4) != '-' || text.charAt(7) != '-' || text.charAt(10) != 'T'
                || text.charAt(13) != ':' || text.charAt(16) != ':') {
            throw refused(text);
        }
        long day = LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10)).toEpochDay();
        int hour = number(text, 11, 13);
        int minute = number(text, 14, 16);
        int second = number(text, 17, 19);
        int end = 19;
        long fraction = 0;
        if (text.charAt(19) == '.') {
            end = 20;
            while (end < text.length() && Character.digit(text.charAt(end), 10) >= 0) {
                end++;
            }
            if (end == 20 || end > 29) {
                throw refused(text);
            }
            fraction = (long) number(text, 20, end) * POWERS[end - 20];
        }
        int offset = offset(text, end);
        if (hour > 23 || minute > 59 || second > 59) {
            throw refused(text);
        }
        long seconds = day * DAY_S + hour * 3600L + minute * 60L + second - (offset == Z ? 0 : offset * 60L);
        try {
            // The seconds before 1970 round down, so only the sum is sure to fit.
            long nanos = seconds < 0
                    ? Math.addExact(Math.multiplyExact(seconds + 1, SECOND), fraction - SECOND)
                    : Math.addExact(Math.multiplyExact(seconds, SECOND), fraction);
            return new Timestamp(nanos, Math.max(0, end - 20), offset);
        } catch (ArithmeticException e) {
            throw refused(text);
        }
    }

    private static int offset(String text, int at) {
        if (at + 1 == text.length() && text.charAt(at) == 'Z') {
            return Z;
        }
        boolean isSigned = at + 6 == text.length() && text.charAt(at + 3) == ':';
        if (!isSigned || text.charAt(at) != '+' && text.charAt(at) != '-') {
            throw refused(text);
        }
        int hours = number(text, at + 1, at + 3);
        int minutes = number(text, at + 4, at + 6);
        int total = hours * 60 + minutes;
        if (hours > 23 || minutes > 59 || text.charAt(at) == '-' && total == 0) {
            throw refused(text);
        }
        return text.charAt(at) == '-' ? -total : total;
    }

    private static int number(String text, int start, int end) {
        int value = 0;
        for (int i = start; i < end; i++) {
            char sign = text.charAt(i);
            if (sign < '0' || sign > '9') {
                throw refused(text);
            }
            value = value * 10 + sign - '0';
        }
        return value;
    }

    private static DateTimeException refused(String text) {
        return new DateTimeException("'" + text + "' is no RFC 3339 timestamp");
    }

    /** RFC 3339, as it was written. */
    @Override
    public String toString() {
        long fraction = Math.floorMod(nanos, SECOND);
        long seconds = Math.floorDiv(nanos, SECOND) + (offset == Z ? 0 : offset * 60L);
        LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(seconds, DAY_S));
        int second = (int) Math.floorMod(seconds, DAY_S);
        StringBuilder text = new StringBuilder(35);
        padded(text, date.getYear(), 4).append('-');
        padded(text, date.getMonthValue(), 2).append('-');
        padded(text, date.getDayOfMonth(), 2).append('T');
        padded(text, second / 3600, 2).append(':');
        padded(text, second / 60 % 60, 2).append(':');
        padded(text, second % 60, 2);
        if (digits > 0) {
            padded(text.append('.'), fraction / POWERS[digits], digits);
        }
        if (offset == Z) {
            return text.append('Z').toString();
        }
        padded(text.append(offset < 0 ? '-' : '+'), Math.abs(offset) / 60, 2).append(':');
        return padded(text, Math.abs(offset) % 60, 2).toString();
    }

    private static StringBuilder padded(StringBuilder text, long value, int width) {
        String digits = Long.toString(value);
        return text.append("0".repeat(width - digits.length())).append(digits);
    }
}
