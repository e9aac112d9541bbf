package wirelab.codecs;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes that one operation of a phase takes from the heap, once the compiler is done with it: what it finds out of use it never
 * allocates. The JVM counts bytes, not objects.
 */
final class AllocationBench<M, O> {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long WINDOW_NS = 20_000_000;
    private static final long SHORTEST_NS = 1_000_000_000;
    private static final long LONGEST_NS = 10_000_000_000L;
    private static final int ALIKE = 10;

    /** Mean bytes per operation; `steady` says whether the last windows agreed. */
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
        for (int alike = 0; ; ) {
            double bytes = window(phase);
            alike = Math.abs(bytes - before) <= 0.005 * before ? alike + 1 : 0;
            before = bytes;
            long spent = System.nanoTime() - began;
            if ((alike >= ALIKE && spent > SHORTEST_NS) || spent > LONGEST_NS) {
                return new Line(codec, phase, bytes, alike >= ALIKE);
            }
        }
    }

    private double window(Phase phase) throws Exception {
        long began = System.nanoTime();
        long allocated = 0;
        long operations = 0;
        while (System.nanoTime() - began < WINDOW_NS) {
            long from = THREADS.getCurrentThreadAllocatedBytes();
            operations += session.pass(phase);
            allocated += THREADS.getCurrentThreadAllocatedBytes() - from;
        }
        return (double) allocated / operations;
    }
}
