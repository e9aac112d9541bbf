package wirelab.peers;

import wirelab.peers.Counters.Counts;

/**
 * Adaptive throttling, as in crates/peer: a window of unacknowledged messages. It grows by one
 * message per window. It shrinks at most once per window, when a message fails or when an
 * acknowledgement takes so much longer than the shortest that the message must have been queued
 * (RFC 5681, 3.1; TCP Vegas).
 */
final class Throttle {
    static final String OPTION = "throttle";
    private static final double INITIAL_WINDOW = 16;
    /** A delay above this multiple of the shortest delay indicates a queue. */
    private static final long QUEUED_FACTOR = 2;
    private static final double SHRINK_FACTOR = 0.7;

    private double window = INITIAL_WINDOW;
    private long shortestNs = Long.MAX_VALUE / QUEUED_FACTOR;
    /** Messages with a known outcome. */
    private long settled;
    private long failed;
    /** Messages sent before the last decrease must not cause another one. */
    private long sentAtDecrease;

    /**
     * The throttle of the option's value, null for none. Throws a fatal fault for an unknown value.
     */
    static Throttle of(String value, String qos, boolean acknowledges) throws Fault {
        return switch (value) {
            case "none" -> null;
            case "adaptive" -> {
                if (!acknowledges) {
                    throw Fault.fatal("option " + OPTION, "qos " + qos + " does not acknowledge messages");
                }
                yield new Throttle();
            }
            default -> throw Fault.fatal("option " + OPTION, "\"" + value + "\" is neither none nor adaptive");
        };
    }

    /**
     * Whether one more message may be sent. `delayNs` is the delay of the last acknowledged
     * message.
     */
    boolean allowsSend(Counts counts, long delayNs) {
        long now = counts.acknowledged() + counts.failed();
        if (now > settled) {
            long newlySettled = now - settled;
            settled = now;
            updateWindow(newlySettled, counts, delayNs);
        }
        return counts.sent() - settled < window;
    }

    private void updateWindow(long newlySettled, Counts counts, long delayNs) {
        boolean hasFailures = counts.failed() > failed;
        failed = counts.failed();
        if (delayNs > 0) {
            shortestNs = Math.min(shortestNs, delayNs);
        }
        if (!hasFailures && delayNs <= QUEUED_FACTOR * shortestNs) {
            window += newlySettled / window;
        } else if (settled > sentAtDecrease) {
            window = Math.max(1, window * SHRINK_FACTOR);
            sentAtDecrease = counts.sent();
        }
    }
}
