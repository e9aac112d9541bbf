package wirelab.codecs;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the heap bytes that one operation of a phase allocates in the steady state, after the
 * JIT compiler has removed unneeded allocations. The JVM counts bytes, not objects.
 */
final class AllocationBench<M, O> {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long WINDOW_NS = 20_000_000;
    private static final long MIN_NS = 1_000_000_000;
    private static final long MAX_NS = 10_000_000_000L;
    private static final int STABLE_WINDOWS = 10;
    private static final double TOLERANCE = 0.005;

    /** Mean bytes per operation. `steady` says whether the last windows agree. */
    record Line(String codec, Phase phase, double bytes, boolean steady) {}

    private final Session<M, O> session;

    AllocationBench(Session<M, O> session) {
        this.session = session;
    }

    List<Line> run(String codec, List<Phase> phases) throws Exception {
        List<Line> lines = new ArrayList<>();
        for (Phase phase : phases) {
            lines.add(run(codec, phase));
        }
        return lines;
    }

    private Line run(String codec, Phase phase) throws Exception {
        long began = System.nanoTime();
        double before = -1;
        for (int stable = 0; ; ) {
            double bytes = runWindow(phase);
            stable = Math.abs(bytes - before) <= TOLERANCE * before ? stable + 1 : 0;
            before = bytes;
            long spent = System.nanoTime() - began;
            if ((stable >= STABLE_WINDOWS && spent > MIN_NS) || spent > MAX_NS) {
                return new Line(codec, phase, bytes, stable >= STABLE_WINDOWS);
            }
        }
    }

    private double runWindow(Phase phase) throws Exception {
        long began = System.nanoTime();
        long allocated = 0;
        long operations = 0;
        while (System.nanoTime() - began < WINDOW_NS) {
            long from = THREADS.getCurrentThreadAllocatedBytes();
            operations += session.runPass(phase);
            allocated += THREADS.getCurrentThreadAllocatedBytes() - from;
        }
        return (double) allocated / operations;
    }
}
