package wirelab.peers;

import java.util.function.Consumer;

/** Records the messages that a subscriber's library delivers. Thread-safe. */
public final class Inbox {
    private static final long NO_SEQ = -1;

    private final Payload payload;
    private final Corpus corpus;
    private final Recorder recorder;
    private final Counters counters;
    private final Consumer<Fault> faults;
    private boolean isClosed;

    Inbox(Payload payload, Corpus corpus, Recorder recorder, Counters counters, Consumer<Fault> faults) {
        this.payload = payload;
        this.corpus = corpus;
        this.recorder = recorder;
        this.counters = counters;
        this.faults = faults;
    }

    public synchronized void deliver(byte[] arrival, boolean isDuplicate) {
        if (isClosed) {
            return;
        }
        long received = System.nanoTime();
        byte[] message = corpus.stripHeader(arrival);
        boolean isDecodable = payload.decode(message);
        long decoded = payload.hasCodec() ? System.nanoTime() : received;
        long seq = corpus.identify(arrival);
        int flags = (isDuplicate ? Recorder.DUPLICATE : 0) | (isDecodable ? 0 : Recorder.UNDECODABLE);
        recorder.recordReceived(seq, received, decoded, message.length, seq == NO_SEQ ? flags | Recorder.UNKNOWN : flags);
        counters.received.incrementAndGet();
    }

    /** Ignore all further messages: a library may still deliver while it closes. */
    synchronized void close() {
        isClosed = true;
    }

    /** Report that the connection is lost. */
    public void reportFault(Fault fault) {
        faults.accept(fault);
    }
}
