package wirelab.codecs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import wirelab.codecs.Session.Timing;

/**
 * Measures the CPU time of a codec's phases in the steady state. Warm-up runs the phases in rounds
 * until their times are stable; then samples of all phases are taken in random order. Each process
 * measures one codec, because other codecs that use the same library code would change how the JIT
 * compiler optimizes it.
 */
final class Bench<M, O> {
    private static final long WINDOW_NS = 5_000_000;
    private static final long MIN_WINDOW_NS = 1_000_000;
    private static final long MIN_WARMUP_NS = 500_000_000;

    /**
     * The result of one phase. Times are ns per operation, one per sample. `bytes` is the mean
     * encoded size. `steady` says whether warm-up reached a steady state; it took `warmup_s`
     * seconds. `group` is the index of the equal part of the corpus.
     */
    record Line(String codec, Phase phase, int group, long iterations, long operations, double bytes, String checksum,
            List<Double> cpu_ns, List<Double> wall_ns, boolean steady, double warmup_s) {}

    private final Session<M, O> session;
    private final List<Phase> phases;
    private final Random random;

    Bench(Session<M, O> session, List<Phase> phases, long seed) {
        this.session = session;
        this.phases = phases;
        random = new Random(seed);
    }

    List<Line> run(String codec, double secondsPer, int samples, double maxWarmup, int groups) throws Exception {
        long began = System.nanoTime();
        List<Warmup> warmups = new ArrayList<>();
        for (Phase phase : phases) {
            warmups.add(new Warmup(phase));
        }
        boolean isSteady = warmUp(warmups, began, maxWarmup);
        double seconds = (System.nanoTime() - began) / 1e9;
        List<Measurement> measurements = new ArrayList<>();
        for (Phase phase : phases) {
            for (int group = 0; group < groups; group++) {
                measurements.add(new Measurement(phase, group, groups));
            }
        }
        for (Measurement measurement : measurements) {
            measurement.calibrate(secondsPer * 1e9 / samples);
        }
        List<Measurement> order = new ArrayList<>(measurements);
        for (int i = 0; i < samples; i++) {
            Collections.shuffle(order, random);
            for (Measurement measurement : order) {
                measurement.takeSample();
            }
        }
        return measurements.stream().map(measurement -> measurement.toLine(codec, isSteady, seconds)).toList();
    }

    private boolean warmUp(List<Warmup> warmups, long began, double maxSeconds) throws Exception {
        while (true) {
            for (Warmup warmup : warmups) {
                warmup.runWindow();
            }
            long spent = System.nanoTime() - began;
            if (spent >= MIN_WARMUP_NS && warmups.stream().allMatch(Warmup::isSteady)) {
                return true;
            }
            if (spent >= maxSeconds * 1e9) {
                return false;
            }
        }
    }

    /** The warm-up of one phase, in windows of about 5 ms. */
    private final class Warmup {
        private final Phase phase;
        private final WarmupDetector detector = new WarmupDetector();
        private double passNs = Double.MAX_VALUE;

        private Warmup(Phase phase) {
            this.phase = phase;
        }

        private void runWindow() throws Exception {
            long passes = passNs == Double.MAX_VALUE ? 1 : countPasses(WINDOW_NS);
            Timing timing = session.run(phase, passes, 0, session.size());
            passNs = (double) Math.max(timing.cpuNs(), 1) / passes;
            // A shorter window only serves to choose the length of the next one.
            if (timing.wallNs() >= MIN_WINDOW_NS) {
                detector.add(passNs);
            }
        }

        private boolean isSteady() {
            return detector.isSteady();
        }

        private long countPasses(double targetNs) {
            return Math.max(1, Math.round(targetNs / passNs));
        }
    }

    /** The samples of one phase and group. */
    private final class Measurement {
        private final Phase phase;
        private final int group;
        private final int first;
        private final int end;
        private final List<Double> cpu = new ArrayList<>();
        private final List<Double> wall = new ArrayList<>();
        private long passes = 1;
        private Timing last;

        private Measurement(Phase phase, int group, int groups) {
            this.phase = phase;
            this.group = group;
            first = session.size() * group / groups;
            end = session.size() * (group + 1) / groups;
        }

        private void calibrate(double targetNs) throws Exception {
            Timing timing = session.run(phase, passes, first, end);
            while (timing.wallNs() < MIN_WINDOW_NS) {
                passes *= 2;
                timing = session.run(phase, passes, first, end);
            }
            passes = Math.max(1, Math.round(targetNs * passes / Math.max(timing.cpuNs(), 1)));
        }

        private void takeSample() throws Exception {
            last = session.run(phase, passes, first, end);
            cpu.add((double) last.cpuNs() / last.operations());
            wall.add((double) last.wallNs() / last.operations());
        }

        private Line toLine(String codec, boolean isSteady, double warmup) {
            return new Line(codec, phase, group, passes, last.operations(), (double) last.bytes() / last.operations(),
                    String.format("%016x", last.checksum()), cpu, wall, isSteady, warmup);
        }
    }
}
