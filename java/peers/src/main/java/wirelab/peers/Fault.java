package wirelab.peers;

/** What went wrong, with what. A fatal one ends the peer. */
public final class Fault extends Exception {
    private final String what;
    private final boolean isFatal;

    private Fault(String what, String why, boolean isFatal) {
        super(why);
        this.what = what;
        this.isFatal = isFatal;
    }

    public static Fault fatal(String what, String why) {
        return new Fault(what, why, true);
    }

    /** Fatal, with the innermost cause's own words. */
    public static Fault fatal(String what, Throwable cause) {
        return new Fault(what, words(cause), true);
    }

    static Fault minor(String what, String why) {
        return new Fault(what, why, false);
    }

    static Fault minor(String what, Throwable cause) {
        return new Fault(what, words(cause), false);
    }

    private static String words(Throwable cause) {
        Throwable inner = cause;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        String words = inner.getMessage();
        return words == null || words.isBlank() ? inner.getClass().getSimpleName() : words;
    }

    public String what() {
        return what;
    }

    boolean isFatal() {
        return isFatal;
    }
}
