package wirelab.peers;

import java.util.function.Consumer;

/** Where a publisher tells what became of its messages. Any thread. */
public final class Outcomes {
    private final Samples samples;
    private final Tally tally;
    private final Consumer<Fault> faults;

    Outcomes(Samples samples, Tally tally, Consumer<Fault> faults) {
        this.samples = samples;
        this.tally = tally;
        this.faults = faults;
    }

    public void acknowledged(long seq) {
        long now = System.nanoTime();
        tally.delayNs = now - samples.sentNs(seq);
        samples.finish(seq, now, Samples.ACKNOWLEDGED);
        tally.acknowledged.incrementAndGet();
    }

    /** The answer to request `seq` has come. Further answers to it change nothing. */
    public void answered(long seq) {
        if (!samples.isFinished(seq)) {
            acknowledged(seq);
            tally.received.incrementAndGet();
        }
    }

    /** Request `seq` will have no answer, for its own connection failed; the others go on. */
    void unanswered(long seq, Exception why) {
        if (!samples.isFinished(seq)) {
            failed(seq);
            faults.accept(Fault.minor("request " + seq, why));
        }
    }

    public void failed(long seq) {
        samples.finish(seq, System.nanoTime(), Samples.FAILED);
        tally.failed.incrementAndGet();
    }

    /** The connection is gone. */
    public void fault(Fault fault) {
        faults.accept(fault);
    }
}
