package wirelab.peers;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * At each planned time, encodes a message and hands it to the library. Never skips a message and
 * never moves a planned time: after a stall, the timestamps of the next messages show the delay.
 */
final class Pacer {
    private static final long MAX_PARK_NS = 50_000_000;
    /**
     * Parked threads wake up about 60 us late (Linux's timer slack is 50 us), so the last part of a
     * wait spins.
     */
    private static final long SPIN_NS = 120_000;
    /** Interval at which a blocked pacer checks the counters. */
    private static final long CHECK_NS = 50_000;
    /** In a closed loop, a request without an answer delays the next one by this time at most. */
    private static final long ANSWER_TIMEOUT_NS = 10_000_000_000L;

    final Protocol.Publisher publisher;
    private final Payload payload;
    private final Corpus corpus;
    private final Recorder recorder;
    private final Counters counters;
    private final boolean isAcknowledged;
    private final boolean isClosedLoop;
    private final Throttle throttle;
    private final BlockingQueue<Long> plannedTimes = new LinkedBlockingQueue<>();
    private volatile boolean isStopped;

    Pacer(Protocol.Publisher publisher, Payload payload, Corpus corpus, Recorder recorder, Counters counters,
            boolean isAcknowledged, boolean isClosedLoop, Throttle throttle) {
        this.publisher = publisher;
        this.payload = payload;
        this.corpus = corpus;
        this.recorder = recorder;
        this.counters = counters;
        this.isAcknowledged = isAcknowledged;
        this.isClosedLoop = isClosedLoop;
        this.throttle = throttle;
    }

    void stop() {
        isStopped = true;
    }

    boolean isStopped() {
        return isStopped;
    }

    /** Add the planned time of the next message, from a `send` command. */
    void addPlannedTime(long planned) {
        plannedTimes.add(planned);
    }

    /**
     * Send all messages, then wait until all outcomes are known. Returns false if stopped before
     * that.
     */
    boolean run(Schedule schedule) throws Exception {
        long handedOver = System.nanoTime();
        long sent = 0;
        for (;; sent++) {
            long planned = schedule.planned(sent, handedOver);
            if (!schedule.holds(sent, planned)) {
                break;
            }
            if (schedule.usesSendCommands()) {
                Long time = awaitPlannedTime();
                planned = time == null ? 0 : time;
            }
            if (isStopped || !waitUntil(planned) || !awaitThrottle()) {
                return false;
            }
            send(sent, planned);
            if (isClosedLoop && !awaitAnswers(sent + 1)) {
                return false;
            }
            handedOver = System.nanoTime();
        }
        publisher.flush();
        return !isAcknowledged || awaitOutcomes(sent);
    }

    private void send(long seq, long planned) throws Exception {
        long start = System.nanoTime();
        byte[] message = payload.encode((int) (seq % payload.size()));
        byte[] whole = corpus.addHeader(seq, message);
        // Recorded first: the acknowledgement may arrive before `send` returns.
        recorder.recordSent(seq, planned, start, System.nanoTime(), message.length);
        counters.sent.incrementAndGet();
        publisher.send(seq, whole);
    }

    /** Null if stopped. */
    private Long awaitPlannedTime() throws InterruptedException {
        while (!isStopped) {
            Long time = plannedTimes.poll(MAX_PARK_NS, TimeUnit.NANOSECONDS);
            if (time != null) {
                return time;
            }
        }
        return null;
    }

    private boolean waitUntil(long planned) {
        long left = planned - System.nanoTime();
        while (left > SPIN_NS && !isStopped) {
            LockSupport.parkNanos(Math.min(left - SPIN_NS, MAX_PARK_NS));
            left = planned - System.nanoTime();
        }
        while (left > 0 && !isStopped) {
            Thread.onSpinWait();
            left = planned - System.nanoTime();
        }
        return !isStopped;
    }

    private boolean awaitThrottle() {
        while (throttle != null && !throttle.allowsSend(counters.read(), counters.delayNs)) {
            if (isStopped) {
                return false;
            }
            LockSupport.parkNanos(CHECK_NS);
        }
        return true;
    }

    /**
     * Wait until all `sent` requests are answered or failed, or a timeout passes. Returns false if
     * stopped.
     */
    private boolean awaitAnswers(long sent) {
        long deadline = System.nanoTime() + ANSWER_TIMEOUT_NS;
        while (counters.acknowledged.get() + counters.failed.get() < sent && System.nanoTime() < deadline && !isStopped) {
            LockSupport.parkNanos(CHECK_NS);
        }
        return !isStopped;
    }

    private boolean awaitOutcomes(long sent) throws InterruptedException {
        while (counters.acknowledged.get() + counters.failed.get() < sent) {
            if (isStopped) {
                return false;
            }
            Thread.sleep(1);
        }
        return true;
    }
}
