package wirelab.codecs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Map;

/** A JSON value, null too. Its numbers are 64-bit integers or floats. */
public record Any(JsonNode value) {
    static final Any NULL = new Any(NullNode.getInstance());

    private static final JsonFactory JSON =
            JsonFactory.builder().disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE).build();

    /** The value in a JSON text. Throws IllegalArgumentException for any other text. */
    public static Any parse(String text) {
        try (JsonParser in = JSON.createParser(text)) {
            if (in.nextToken() == null) {
                throw new IllegalArgumentException("an empty text is not JSON");
            }
            Any value = AnyReader.read(in);
            if (in.nextToken() != null) {
                throw new IllegalArgumentException("there is text after a JSON value");
            }
            return value;
        } catch (IOException e) {
            throw new IllegalArgumentException("a text is not JSON: " + e.getMessage(), e);
        }
    }

    /** The value as compact JSON, the same in every language. */
    public String text() {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(text)) {
            AnyWriter.write(value, out, AnyWriter.Form.TEXT);
        } catch (IOException e) {
            throw new IllegalStateException("memory cannot be written", e);
        }
        return text.toString();
    }

    /** Numbers of equal value, and objects in any order of keys, count alike. */
    public void fold(Checksum sum) {
        fold(value, sum);
    }

    /** Adds the value in a JSON text to a checksum. */
    public static void foldText(String text, Checksum sum) {
        parse(text).fold(sum);
    }

    private static void fold(JsonNode value, Checksum sum) {
        switch (value.getNodeType()) {
            case BOOLEAN -> sum.addWord(value.booleanValue() ? 9 : 8);
            case NUMBER -> {
                sum.addWord(2);
                sum.addNumber(value.doubleValue());
            }
            case STRING -> {
                sum.addWord(3);
                sum.addText(value.textValue());
            }
            case ARRAY -> {
                sum.addWord(4);
                sum.addWord(value.size());
                value.forEach(item -> fold(item, sum));
            }
            case OBJECT -> {
                long all = 0;
                for (Map.Entry<String, JsonNode> entry : value.properties()) {
                    Checksum own = new Checksum();
                    own.addText(entry.getKey());
                    fold(entry.getValue(), own);
                    all += own.value();
                }
                sum.addWord(5);
                sum.addWord(all);
            }
            default -> sum.addAbsent();
        }
    }

    /**
     * The shortest digits of a float, with an exponent from 10^16 and below 10^-5: `1e-7`, `1e+16`.
     */
    static String show(double number) {
        if (number == 0) {
            return Double.toString(number);
        }
        BigDecimal exact = new BigDecimal(DoubleToDecimal.toString(Math.abs(number))).stripTrailingZeros();
        BigDecimal digit = exact.round(new MathContext(1));
        if (digit.doubleValue() == Math.abs(number)) {
            // Java writes at least two digits, and takes 4.9E-324 for 5e-324.
            exact = digit;
        }
        String digits = exact.unscaledValue().toString();
        // The number is 0.DIGITS times ten to the power of this.
        int point = digits.length() - exact.scale();
        String sign = number < 0 ? "-" : "";
        if (-5 < point && point <= 0) {
            return sign + "0." + "0".repeat(-point) + digits;
        }
        if (0 < point && point <= 16) {
            String padded = digits + "0".repeat(Math.max(0, point + 1 - digits.length()));
            return sign + padded.substring(0, point) + "." + padded.substring(point);
        }
        String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
        return sign + digits.charAt(0) + fraction + (point > 0 ? "e+" : "e") + (point - 1);
    }
}
