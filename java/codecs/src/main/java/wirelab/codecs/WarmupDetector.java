package wirelab.codecs;

import java.util.ArrayList;
import java.util.List;

/**
 * Detects the steady state of a series of times: the median of the last eight differs by at most 3
 * % from the median of the eight before. Medians ignore a single disturbed window.
 */
final class WarmupDetector {
    private static final int WINDOWS = 8;
    private static final double TOLERANCE = 0.03;

    private final List<Double> times = new ArrayList<>();

    void add(double time) {
        times.add(time);
    }

    boolean isSteady() {
        int size = times.size();
        if (size < 2 * WINDOWS) {
            return false;
        }
        double before = median(times.subList(size - 2 * WINDOWS, size - WINDOWS));
        double now = median(times.subList(size - WINDOWS, size));
        return Math.abs(now - before) <= TOLERANCE * before;
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
