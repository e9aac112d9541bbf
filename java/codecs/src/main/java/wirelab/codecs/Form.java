package wirelab.codecs;

import java.util.Set;

/**
 * The lists or objects that an alternative of a union takes. `length` is that of a tuple, else -1;
 * `known` and `needed` are the keys of a record, else null.
 */
public record Form(int alternative, boolean isList, int length, Set<String> known, Set<String> needed) {
    public static Form list(int alternative) {
        return new Form(alternative, true, -1, null, null);
    }

    public static Form tuple(int alternative, int length) {
        return new Form(alternative, true, length, null, null);
    }

    public static Form map(int alternative) {
        return new Form(alternative, false, -1, null, null);
    }

    public static Form record(int alternative, Set<String> known, Set<String> needed) {
        return new Form(alternative, false, -1, known, needed);
    }

    /** Whether a list of this length fits. */
    boolean takes(int items) {
        return length < 0 || length == items;
    }

    /** Whether an object with these keys fits. */
    boolean takes(Set<String> keys) {
        return known == null || known.containsAll(keys) && keys.containsAll(needed);
    }
}
