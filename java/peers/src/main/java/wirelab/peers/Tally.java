package wirelab.peers;

import java.util.concurrent.atomic.AtomicLong;

/** Messages counted as they go. */
final class Tally {
    final AtomicLong sent = new AtomicLong();
    final AtomicLong acknowledged = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    final AtomicLong received = new AtomicLong();
    /** How long the last acknowledged message took, from being sent. */
    volatile long delayNs;

    record Counts(long sent, long acknowledged, long failed, long received) {}

    Counts counts() {
        return new Counts(sent.get(), acknowledged.get(), failed.get(), received.get());
    }
}
