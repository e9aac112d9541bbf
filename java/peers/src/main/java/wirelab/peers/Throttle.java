package wirelab.peers;

import wirelab.peers.Tally.Counts;

/**
 * Adaptive throttling, as in crates/peer: a window of messages whose fate is open, which grows by one message a window and shrinks
 * once a window when a message fails, or when an acknowledgement takes so much longer than the shortest did that it must
 * have waited in a queue (RFC 5681, 3.1; TCP Vegas).
 */
final class Throttle {
    static final String OPTION = "throttle";
    private static final double FIRST = 16;
    /** An acknowledgement that takes more than so many times the shortest has waited in a queue. */
    private static final long QUEUED = 2;
    private static final double SHRINK = 0.7;

    private double window = FIRST;
    private long shortestNs = Long.MAX_VALUE / QUEUED;
    private long known;
    private long failed;
    /** Messages sent before the last decrease say nothing about the window since. */
    private long judgedFrom;

    /** The throttle that an option asks for, null for none. Throws a fatal fault. */
    static Throttle of(String asked, String qos, boolean acknowledges) throws Fault {
        return switch (asked) {
            case "none" -> null;
            case "adaptive" -> {
                if (!acknowledges) {
                    throw Fault.fatal("option " + OPTION, "qos " + qos + " does not tell the fate of messages");
                }
                yield new Throttle();
            }
            default -> throw Fault.fatal("option " + OPTION, "\"" + asked + "\" is neither none nor adaptive");
        };
    }

    /** Whether one more message may leave; `delayNs` is the age of the last message when it was acknowledged. */
    boolean opens(Counts counts, long delayNs) {
        long now = counts.acknowledged() + counts.failed();
        if (now > known) {
            long news = now - known;
            known = now;
            learn(news, counts, delayNs);
        }
        return counts.sent() - known < window;
    }

    private void learn(long news, Counts counts, long delayNs) {
        boolean lost = counts.failed() > failed;
        failed = counts.failed();
        if (delayNs > 0) {
            shortestNs = Math.min(shortestNs, delayNs);
        }
        if (!lost && delayNs <= QUEUED * shortestNs) {
            window += news / window;
        } else if (known > judgedFrom) {
            window = Math.max(1, window * SHRINK);
            judgedFrom = counts.sent();
        }
    }
}
