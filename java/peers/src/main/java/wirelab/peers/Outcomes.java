package wirelab.peers;

import java.util.function.Consumer;

/** Records the outcomes of a publisher's messages. Thread-safe. */
public final class Outcomes {
    private final Recorder recorder;
    private final Counters counters;
    private final Consumer<Fault> faults;

    Outcomes(Recorder recorder, Counters counters, Consumer<Fault> faults) {
        this.recorder = recorder;
        this.counters = counters;
        this.faults = faults;
    }

    public void recordAcknowledged(long seq) {
        long now = System.nanoTime();
        counters.delayNs = now - recorder.getSentNs(seq);
        recorder.recordOutcome(seq, now, Recorder.ACKNOWLEDGED);
        counters.acknowledged.incrementAndGet();
    }

    /** The answer to request `seq` has arrived. Further answers to it are ignored. */
    public void recordAnswered(long seq) {
        if (!recorder.isFinished(seq)) {
            recordAcknowledged(seq);
            counters.received.incrementAndGet();
        }
    }

    /**
     * Request `seq` has failed together with its own connection. Other requests are not affected.
     */
    void recordUnanswered(long seq, Exception cause) {
        if (!recorder.isFinished(seq)) {
            recordFailed(seq);
            faults.accept(Fault.minor("request " + seq, cause));
        }
    }

    public void recordFailed(long seq) {
        recorder.recordOutcome(seq, System.nanoTime(), Recorder.FAILED);
        counters.failed.incrementAndGet();
    }

    /** Report that the connection is lost. */
    public void reportFault(Fault fault) {
        faults.accept(fault);
    }
}
