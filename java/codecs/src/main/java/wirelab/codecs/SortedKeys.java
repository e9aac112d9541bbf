package wirelab.codecs;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * A map with text keys in the order of their UTF-8 bytes, which is the order of their code points.
 */
public final class SortedKeys<V> extends TreeMap<String, V> {
    private static final Comparator<String> BY_CODE_POINT = SortedKeys::compare;

    public SortedKeys() {
        super(BY_CODE_POINT);
    }

    /** The map itself if it is a SortedKeys, else a sorted copy. */
    public static <V> SortedKeys<V> of(Map<String, V> map) {
        if (map instanceof SortedKeys<V> sorted) {
            return sorted;
        }
        SortedKeys<V> sorted = new SortedKeys<>();
        sorted.putAll(map);
        return sorted;
    }

    /**
     * UTF-16 order, except that surrogates (code points from U+10000) follow all other characters.
     */
    private static int compare(String one, String other) {
        int shorter = Math.min(one.length(), other.length());
        for (int i = 0; i < shorter; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                boolean aIsHigh = Character.isSurrogate(a);
                return aIsHigh == Character.isSurrogate(b) ? Character.compare(a, b) : aIsHigh ? 1 : -1;
            }
        }
        return Integer.compare(one.length(), other.length());
    }
}
