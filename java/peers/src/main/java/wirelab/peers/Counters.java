package wirelab.peers;

import java.util.concurrent.atomic.AtomicLong;

/** Counters of the messages of a trial. Thread-safe. */
final class Counters {
    final AtomicLong sent = new AtomicLong();
    final AtomicLong acknowledged = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    final AtomicLong received = new AtomicLong();
    /** Time from sending to acknowledgement of the last acknowledged message. */
    volatile long delayNs;

    record Counts(long sent, long acknowledged, long failed, long received) {}

    Counts read() {
        return new Counts(sent.get(), acknowledged.get(), failed.get(), received.get());
    }
}
