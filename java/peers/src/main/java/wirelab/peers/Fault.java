package wirelab.peers;

/** An error event: what failed and why. A fatal fault ends the peer. */
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

    /** A fatal fault with the message of the innermost cause. */
    public static Fault fatal(String what, Throwable cause) {
        return new Fault(what, innermostMessage(cause), true);
    }

    static Fault minor(String what, String why) {
        return new Fault(what, why, false);
    }

    static Fault minor(String what, Throwable cause) {
        return new Fault(what, innermostMessage(cause), false);
    }

    private static String innermostMessage(Throwable cause) {
        Throwable inner = cause;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        String message = inner.getMessage();
        return message == null || message.isBlank() ? inner.getClass().getSimpleName() : message;
    }

    public String what() {
        return what;
    }

    boolean isFatal() {
        return isFatal;
    }
}
