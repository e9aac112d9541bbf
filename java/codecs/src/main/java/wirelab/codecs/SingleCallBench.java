package wirelab.codecs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Measures the latency of single calls in the steady state, one message at a time and in random
 * order, as in a program that sends occasionally. The clock is read before and after every call.
 * The cost of reading it is reported, not subtracted.
 */
final class SingleCallBench {
    /** Minimum number of calls per quantile. */
    private static final int MIN_CALLS = 2_000;
    private static final long MIN_WARMUP_NS = 2_000_000_000;

    /**
     * Wall time of a call in ns: `encode` from the message to bytes, `decode` of all fields.
     * `clock_ns` is the cost of reading the clock twice.
     */
    record Line(String codec, String call, int calls, double p50_ns, double p90_ns, double p99_ns, double clock_ns,
            boolean steady) {}

    private final Session<?, ?> session;
    private final List<Integer> order;
    private final Random random;
    private final long[] encode;
    private final long[] decode;
    private final long[] clock;

    SingleCallBench(Session<?, ?> session, long seed) {
        this.session = session;
        random = new Random(seed);
        order = new ArrayList<>(IntStream.range(0, session.size()).boxed().toList());
        int calls = ((MIN_CALLS + session.size() - 1) / session.size()) * session.size();
        encode = new long[calls];
        decode = new long[calls];
        clock = new long[calls];
    }

    List<Line> run(String codec, double maxWarmup) throws Exception {
        boolean isSteady = warmUp(maxWarmup);
        measure();
        return List.of(toLine(codec, "encode", encode, isSteady), toLine(codec, "decode", decode, isSteady));
    }

    private boolean warmUp(double maxSeconds) throws Exception {
        long began = System.nanoTime();
        WarmupDetector encoding = new WarmupDetector();
        WarmupDetector decoding = new WarmupDetector();
        while (true) {
            measure();
            encoding.add(quantile(encode, 0.5));
            decoding.add(quantile(decode, 0.5));
            long spent = System.nanoTime() - began;
            if (spent >= MIN_WARMUP_NS && encoding.isSteady() && decoding.isSteady()) {
                return true;
            }
            if (spent >= maxSeconds * 1e9) {
                return false;
            }
        }
    }

    /** Time every message until all times are filled, then sort them. */
    private void measure() throws Exception {
        for (int call = 0; call < encode.length; ) {
            Collections.shuffle(order, random);
            for (int index : order) {
                long began = System.nanoTime();
                session.runPass(Phase.SERIALIZE, index, index + 1);
                long sent = System.nanoTime();
                session.runPass(Phase.DESERIALIZE, index, index + 1);
                long read = System.nanoTime();
                encode[call] = sent - began;
                decode[call] = read - sent;
                clock[call++] = System.nanoTime() - read;
            }
        }
        Arrays.sort(encode);
        Arrays.sort(decode);
        Arrays.sort(clock);
    }

    private Line toLine(String codec, String call, long[] times, boolean isSteady) {
        return new Line(codec, call, times.length, quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.99),
                quantile(clock, 0.5), isSteady);
    }

    /** The smallest value that is at least as large as this fraction of the sorted values. */
    private static double quantile(long[] sorted, double fraction) {
        int rank = (int) Math.ceil(fraction * sorted.length);
        return sorted[Math.max(rank, 1) - 1];
    }
}
