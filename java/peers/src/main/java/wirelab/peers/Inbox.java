package wirelab.peers;

import java.util.function.Consumer;

/** Where a subscriber's library hands messages over. One thread at a time. */
public final class Inbox {
    private static final long NO_SEQ = -1;

    private final Payload payload;
    private final Known known;
    private final Samples samples;
    private final Tally tally;
    private final Consumer<Fault> faults;
    private boolean isClosed;

    Inbox(Payload payload, Known known, Samples samples, Tally tally, Consumer<Fault> faults) {
        this.payload = payload;
        this.known = known;
        this.samples = samples;
        this.tally = tally;
        this.faults = faults;
    }

    public synchronized void deliver(byte[] arrival, boolean isDuplicate) {
        if (isClosed) {
            return;
        }
        long received = System.nanoTime();
        byte[] message = known.strip(arrival);
        boolean decodes = payload.decode(message);
        long decoded = payload.decodes() ? System.nanoTime() : received;
        long seq = known.recognise(arrival);
        int flags = (isDuplicate ? Samples.DUPLICATE : 0) | (decodes ? 0 : Samples.UNDECODABLE);
        samples.received(seq, received, decoded, message.length, seq == NO_SEQ ? flags | Samples.UNKNOWN : flags);
        tally.received.incrementAndGet();
    }

    /** What arrives from now on is neither recorded nor counted: a library may still be handing over while it closes. */
    synchronized void close() {
        isClosed = true;
    }

    /** The connection is gone. */
    public void fault(Fault fault) {
        faults.accept(fault);
    }
}
