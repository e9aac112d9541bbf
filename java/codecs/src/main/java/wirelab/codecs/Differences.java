package wirelab.codecs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The differences between a sent and a received message, by path and kind. */
final class Differences {
    private static final int MAX_CODE_POINTS = 80;
    private static final ObjectMapper DIGITS = Mappers.withDecimalsAsText();

    /** One difference. `sent` and `received` are truncated for display. */
    record Difference(String path, String kind, String sent, String received) {}

    private final List<Difference> differences = new ArrayList<>();

    private Differences() {}

    static List<Difference> find(JsonNode sent, JsonNode received) {
        Differences comparison = new Differences();
        comparison.compare(sent, received, "$");
        return comparison.differences;
    }

    /** The differences of decimals, whose digits the numbers of a tree do not hold. */
    static List<Difference> findDigits(Object sent, Object received) {
        return find(DIGITS.valueToTree(sent), DIGITS.valueToTree(received)).stream()
                .map(one -> new Difference(one.path(), "number changed", one.sent(), one.received()))
                .toList();
    }

    private void compare(JsonNode sent, JsonNode received, String path) {
        if (isObject(sent) && isObject(received)) {
            Set<String> keys = new LinkedHashSet<>();
            sent.fieldNames().forEachRemaining(keys::add);
            received.fieldNames().forEachRemaining(keys::add);
            keys.forEach(key -> compare(sent.get(key), received.get(key), path + "." + key));
        } else if (isArray(sent) && isArray(received) && sent.size() == received.size()) {
            for (int i = 0; i < sent.size(); i++) {
                compare(sent.get(i), received.get(i), path + "[]");
            }
        } else if (!isEqual(sent, received)) {
            differences.add(new Difference(path, classify(sent, received), truncate(sent), truncate(received)));
        }
    }

    private static boolean isEqual(JsonNode one, JsonNode other) {
        if (one == null || other == null) {
            return one == other;
        }
        return one.isNumber() && other.isNumber() ? isEqualNumber(one, other) : one.equals(other);
    }

    /** 1 equals 1.0; integers are compared exactly; 0.0 and -0.0 differ. */
    private static boolean isEqualNumber(JsonNode one, JsonNode other) {
        if (one.isIntegralNumber() && other.isIntegralNumber()) {
            return one.bigIntegerValue().equals(other.bigIntegerValue());
        }
        return Double.compare(one.doubleValue(), other.doubleValue()) == 0;
    }

    private static String classify(JsonNode sent, JsonNode received) {
        if (sent == null) {
            return received.isNull() ? "absent became null" : "invented";
        }
        boolean isEmpty = sent.isContainerNode() && sent.isEmpty();
        if (received == null || received.isNull() && isEmpty) {
            String became = received == null ? "absent" : "null";
            return sent.isNull()
                    ? "null became absent"
                    : isEmpty ? "empty " + (sent.isArray() ? "list" : "object") + " became " + became : "lost";
        }
        if (sent.isNumber() && received.isNumber()) {
            return "number changed";
        }
        return sent.isTextual() && received.isTextual() ? "text changed" : "changed";
    }

    private static String truncate(JsonNode value) {
        String text = value == null ? "absent" : value.toString();
        return text.codePointCount(0, text.length()) <= MAX_CODE_POINTS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_CODE_POINTS)) + "...";
    }

    private static boolean isObject(JsonNode node) {
        return node != null && node.isObject();
    }

    private static boolean isArray(JsonNode node) {
        return node != null && node.isArray();
    }
}
