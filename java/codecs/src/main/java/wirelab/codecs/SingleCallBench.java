package wirelab.codecs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Each message timed by itself, one call at a time and in random order, as a program that sends now and then would call, once
 * the compiler is done. A clock is read before and after every call; what reading it takes stands beside the times and is not taken off.
 */
final class SingleCallBench {
    /** A time is one of so many at least. */
    private static final int CALLS = 2_000;
    private static final long SHORTEST_NS = 2_000_000_000;

    /** Wall time of a call, ns: `encode` starts from the message, `decode` reads all of it. `clock_ns` is that of reading the clock twice. */
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
        int calls = ((CALLS + session.size() - 1) / session.size()) * session.size();
        encode = new long[calls];
        decode = new long[calls];
        clock = new long[calls];
    }

    List<Line> run(String codec, double longestWarmup) throws Exception {
        boolean isSteady = warmUp(longestWarmup);
        look();
        return List.of(line(codec, "encode", encode, isSteady), line(codec, "decode", decode, isSteady));
    }

    private boolean warmUp(double longest) throws Exception {
        long began = System.nanoTime();
        WarmupDetector encoding = new WarmupDetector();
        WarmupDetector decoding = new WarmupDetector();
        while (true) {
            look();
            encoding.add(quantile(encode, 0.5));
            decoding.add(quantile(decode, 0.5));
            long spent = System.nanoTime() - began;
            if (spent >= SHORTEST_NS && encoding.reached() && decoding.reached()) {
                return true;
            }
            if (spent >= longest * 1e9) {
                return false;
            }
        }
    }

    /** Time every message, as often as it takes; the times are sorted then. */
    private void look() throws Exception {
        for (int call = 0; call < encode.length; ) {
            Collections.shuffle(order, random);
            for (int index : order) {
                long began = System.nanoTime();
                session.pass(Phase.SERIALIZE, index, index + 1);
                long sent = System.nanoTime();
                session.pass(Phase.DESERIALIZE, index, index + 1);
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

    private Line line(String codec, String call, long[] times, boolean isSteady) {
        return new Line(codec, call, times.length, quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.99),
                quantile(clock, 0.5), isSteady);
    }

    /** The smallest value that at least this share of the sorted values does not exceed. */
    private static double quantile(long[] sorted, double share) {
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.max(rank, 1) - 1];
    }
}
