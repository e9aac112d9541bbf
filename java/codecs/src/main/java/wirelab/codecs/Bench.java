package wirelab.codecs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import wirelab.codecs.Session.Timing;

/**
 * CPU time of a codec's phases, in a steady state: the phases run in rounds until neither their times nor the compiler
 * move any more, then samples of all of them are taken in random order. One codec to a process, since what other codecs
 * did with shared library code would change how the compiler sees it.
 */
final class Bench<M, O> {
    private static final long WINDOW_NS = 5_000_000;
    private static final long ROUGH_NS = 1_000_000;
    private static final long SHORTEST_NS = 500_000_000;

    /**
     * What was seen of one phase: times are ns per operation, one per sample. `bytes` is the mean of encoded bytes,
     * `steady` whether warming up ended in a steady state, after `warmup_s` seconds. `group` counts the parts of equal
     * length into which the messages were divided.
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

    List<Line> run(String codec, double secondsPer, int samples, double longestWarmup, int groups) throws Exception {
        long began = System.nanoTime();
        List<Warm> warm = new ArrayList<>();
        for (Phase phase : phases) {
            warm.add(new Warm(phase));
        }
        boolean isSteady = warmUp(warm, began, longestWarmup);
        double seconds = (System.nanoTime() - began) / 1e9;
        List<Cell> cells = new ArrayList<>();
        for (Warm one : warm) {
            for (int group = 0; group < groups; group++) {
                cells.add(new Cell(one.phase, group, groups));
            }
        }
        for (Cell cell : cells) {
            cell.calibrate(secondsPer * 1e9 / samples);
        }
        List<Cell> order = new ArrayList<>(cells);
        for (int i = 0; i < samples; i++) {
            Collections.shuffle(order, random);
            for (Cell cell : order) {
                cell.sample();
            }
        }
        return cells.stream().map(cell -> cell.line(codec, isSteady, seconds)).toList();
    }

    private boolean warmUp(List<Warm> phases, long began, double longest) throws Exception {
        while (true) {
            for (Warm phase : phases) {
                phase.window();
            }
            long spent = System.nanoTime() - began;
            if (spent >= SHORTEST_NS && phases.stream().allMatch(Warm::isSteady)) {
                return true;
            }
            if (spent >= longest * 1e9) {
                return false;
            }
        }
    }

    /** A phase that is warming up: windows of about 5 ms. */
    private final class Warm {
        private final Phase phase;
        private final WarmupDetector steady = new WarmupDetector();
        private double passNs = Double.MAX_VALUE;

        private Warm(Phase phase) {
            this.phase = phase;
        }

        private void window() throws Exception {
            long passes = passNs == Double.MAX_VALUE ? 1 : passes(WINDOW_NS);
            Timing timing = session.run(phase, passes, 0, session.size());
            // A first look that is too short only says how long to look next.
            passNs = (double) Math.max(timing.cpuNs(), 1) / passes;
            if (timing.wallNs() >= ROUGH_NS) {
                steady.add(passNs);
            }
        }

        private boolean isSteady() {
            return steady.reached();
        }

        private long passes(double targetNs) {
            return Math.max(1, Math.round(targetNs / passNs));
        }
    }

    private final class Cell {
        private final Phase phase;
        private final int group;
        private final int first;
        private final int end;
        private final List<Double> cpu = new ArrayList<>();
        private final List<Double> wall = new ArrayList<>();
        private long passes = 1;
        private Timing last;

        private Cell(Phase phase, int group, int groups) {
            this.phase = phase;
            this.group = group;
            first = session.size() * group / groups;
            end = session.size() * (group + 1) / groups;
        }

        private void calibrate(double targetNs) throws Exception {
            Timing timing = session.run(phase, passes, first, end);
            while (timing.wallNs() < ROUGH_NS) {
                passes *= 2;
                timing = session.run(phase, passes, first, end);
            }
            passes = Math.max(1, Math.round(targetNs * passes / Math.max(timing.cpuNs(), 1)));
        }

        private void sample() throws Exception {
            last = session.run(phase, passes, first, end);
            cpu.add((double) last.cpuNs() / last.operations());
            wall.add((double) last.wallNs() / last.operations());
        }

        private Line line(String codec, boolean isSteady, double warmup) {
            return new Line(codec, phase, group, passes, last.operations(), (double) last.bytes() / last.operations(),
                    String.format("%016x", last.checksum()), cpu, wall, isSteady, warmup);
        }
    }
}
