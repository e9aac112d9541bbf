package wirelab.codecs;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * A number whose digits are kept: `1.00` is not `1.0`, `-0` is not `0`. Its text has the form of
 * the General Decimal Arithmetic specification ("to scientific string").
 */
public record Decimal(String text) {
    /** A sign, digits without leading zeros, and the exponent of the last of them. */
    record Parts(boolean isNegative, String digits, long exponent) {
        /** The coefficient with its sign; -0 is 0. */
        BigInteger coefficient() {
            BigInteger size = new BigInteger(digits);
            return isNegative ? size.negate() : size;
        }

        /** -0 is 0. Throws ArithmeticException for an exponent beyond 32 bits. */
        BigDecimal toBigDecimal() {
            return new BigDecimal(coefficient(), Math.toIntExact(-exponent));
        }

        boolean isNegativeZero() {
            return isNegative && digits.equals("0");
        }

        @Override
        public String toString() {
            String sign = isNegative ? "-" : "";
            long adjusted = exponent + digits.length() - 1;
            if (exponent > 0 || adjusted < -6) {
                String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
                return sign + digits.charAt(0) + fraction + "E" + (adjusted < 0 ? "" : "+") + adjusted;
            }
            int point = (int) (digits.length() + exponent);
            if (exponent == 0) {
                return sign + digits;
            }
            return point > 0
                    ? sign + digits.substring(0, point) + "." + digits.substring(point)
                    : sign + "0." + "0".repeat(-point) + digits;
        }
    }

    /** The number in a JSON number literal. Throws NumberFormatException for any other text. */
    public static Decimal parse(String text) {
        return new Decimal(split(text).toString());
    }

    Parts parts() {
        return split(text);
    }

    private static Parts split(String text) {
        boolean isNegative = text.startsWith("-");
        int start = isNegative ? 1 : 0;
        int end = start;
        while (end < text.length() && (isDigit(text.charAt(end)) || text.charAt(end) == '.')) {
            end++;
        }
        String mantissa = text.substring(start, end);
        int dot = mantissa.indexOf('.');
        String digits = dot < 0 ? mantissa : mantissa.substring(0, dot) + mantissa.substring(dot + 1);
        boolean isEmpty = mantissa.isEmpty() || dot == 0 || dot == mantissa.length() - 1;
        if (isEmpty || digits.indexOf('.') >= 0) {
            throw reject(text);
        }
        int first = 0;
        while (first < digits.length() - 1 && digits.charAt(first) == '0') {
            first++;
        }
        long fraction = dot < 0 ? 0 : mantissa.length() - 1 - dot;
        return new Parts(isNegative, digits.substring(first), parsePower(text, end) - fraction);
    }

    private static int parsePower(String text, int at) {
        if (at == text.length()) {
            return 0;
        }
        boolean isMarked = text.charAt(at) == 'e' || text.charAt(at) == 'E';
        boolean isSigned = at + 1 < text.length() && (text.charAt(at + 1) == '+' || text.charAt(at + 1) == '-');
        int first = at + (isSigned ? 2 : 1);
        boolean isNumber = first < text.length() && text.chars().skip(first).allMatch(sign -> isDigit((char) sign));
        if (!isMarked || !isNumber) {
            throw reject(text);
        }
        try {
            return Integer.parseInt(text, at + 1, text.length(), 10);
        } catch (NumberFormatException e) {
            throw reject(text);
        }
    }

    private static boolean isDigit(char sign) {
        return '0' <= sign && sign <= '9';
    }

    private static NumberFormatException reject(String text) {
        return new NumberFormatException("'" + text + "' is not a decimal number");
    }
}
