package wirelab.codecs;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What differs between a message that was sent and what came back, by path and kind. */
final class Differences {
    private static final int SHOWN = 80;

    /** One difference; `sent` and `received` are cut to what can be shown. */
    record Difference(String path, String kind, String sent, String received) {}

    private final List<Difference> found = new ArrayList<>();

    private Differences() {}

    static List<Difference> between(JsonNode sent, JsonNode received) {
        Differences differences = new Differences();
        differences.compare(sent, received, "$");
        return differences.found;
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
        } else if (!same(sent, received)) {
            found.add(new Difference(path, kind(sent, received), shown(sent), shown(received)));
        }
    }

    private static boolean same(JsonNode one, JsonNode other) {
        if (one == null || other == null) {
            return one == other;
        }
        return one.isNumber() && other.isNumber() ? sameNumber(one, other) : one.equals(other);
    }

    /** 1 and 1.0 are the same number; integers are compared as integers. The sign of zero counts. */
    private static boolean sameNumber(JsonNode one, JsonNode other) {
        if (one.isIntegralNumber() && other.isIntegralNumber()) {
            return one.bigIntegerValue().equals(other.bigIntegerValue());
        }
        return Double.compare(one.doubleValue(), other.doubleValue()) == 0;
    }

    private static String kind(JsonNode sent, JsonNode received) {
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

    private static String shown(JsonNode value) {
        String text = value == null ? "absent" : value.toString();
        return text.codePointCount(0, text.length()) <= SHOWN
                ? text
                : text.substring(0, text.offsetByCodePoints(0, SHOWN)) + "...";
    }

    private static boolean isObject(JsonNode node) {
        return node != null && node.isObject();
    }

    private static boolean isArray(JsonNode node) {
        return node != null && node.isArray();
    }
}
