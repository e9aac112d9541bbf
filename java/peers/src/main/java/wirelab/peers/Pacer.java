package wirelab.peers;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Turns to each message at its planned time, encodes it, and hands it to the library. It never skips and never moves a
 * planned time: when something holds it up, the stamps of the next messages show by how much.
 */
final class Pacer {
    private static final long LOOK_NS = 50_000_000;
    /** Parked threads wake up some 60 us late (Linux's timer slack of 50 us); the rest of the time is spun away. */
    private static final long SPIN_NS = 120_000;
    /** A throttled pacer looks this often whether there is room for its message. */
    private static final long ROOM_NS = 50_000;
    /** In a closed loop, the next request is sent after this time though the one before it has stayed without an answer. */
    private static final long PATIENCE_NS = 10_000_000_000L;

    final Protocol.Publisher publisher;
    private final Payload payload;
    private final Known known;
    private final Samples samples;
    private final Tally tally;
    private final boolean isAcknowledged;
    private final boolean isClosed;
    private final Throttle throttle;
    private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();
    private volatile boolean isStopped;

    Pacer(Protocol.Publisher publisher, Payload payload, Known known, Samples samples, Tally tally,
            boolean isAcknowledged, boolean isClosed, Throttle throttle) {
        this.publisher = publisher;
        this.payload = payload;
        this.known = known;
        this.samples = samples;
        this.tally = tally;
        this.isAcknowledged = isAcknowledged;
        this.isClosed = isClosed;
        this.throttle = throttle;
    }

    void stop() {
        isStopped = true;
    }

    boolean isStopped() {
        return isStopped;
    }

    void tell(long planned) {
        told.add(planned);
    }

    /** Send all messages, then wait until the fate of each is known; false when stopped before. */
    boolean run(Plan plan) throws Exception {
        long handedOver = System.nanoTime();
        long sent = 0;
        for (;; sent++) {
            long planned = plan.planned(sent, handedOver);
            if (!plan.holds(sent, planned)) {
                break;
            }
            if (plan.isTold()) {
                Long time = waitForTime();
                planned = time == null ? 0 : time;
            }
            if (isStopped || !waitUntil(planned) || !waitForRoom()) {
                return false;
            }
            send(sent, planned);
            if (isClosed && !waitForAnswer(sent + 1)) {
                return false;
            }
            handedOver = System.nanoTime();
        }
        publisher.flush();
        return !isAcknowledged || waitForOutcomes(sent);
    }

    private void send(long seq, long planned) throws Exception {
        long start = System.nanoTime();
        byte[] message = payload.encode((int) (seq % payload.size()));
        byte[] whole = known.numbered(seq, message);
        // Recorded before it is handed over: its acknowledgement may come before `send` returns.
        samples.sent(seq, planned, start, System.nanoTime(), message.length);
        tally.sent.incrementAndGet();
        publisher.send(seq, whole);
    }

    private Long waitForTime() throws InterruptedException {
        while (!isStopped) {
            Long time = told.poll(LOOK_NS, TimeUnit.NANOSECONDS);
            if (time != null) {
                return time;
            }
        }
        return null;
    }

    private boolean waitUntil(long planned) {
        long left = planned - System.nanoTime();
        while (left > SPIN_NS && !isStopped) {
            LockSupport.parkNanos(Math.min(left - SPIN_NS, LOOK_NS));
            left = planned - System.nanoTime();
        }
        while (left > 0 && !isStopped) {
            Thread.onSpinWait();
            left = planned - System.nanoTime();
        }
        return !isStopped;
    }

    private boolean waitForRoom() {
        while (throttle != null && !throttle.opens(tally.counts(), tally.delayNs)) {
            if (isStopped) {
                return false;
            }
            LockSupport.parkNanos(ROOM_NS);
        }
        return true;
    }

    /** Until all `sent` requests are answered or given up, or one has stayed without an answer for too long; false when stopped. */
    private boolean waitForAnswer(long sent) {
        long until = System.nanoTime() + PATIENCE_NS;
        while (tally.acknowledged.get() + tally.failed.get() < sent && System.nanoTime() < until && !isStopped) {
            LockSupport.parkNanos(ROOM_NS);
        }
        return !isStopped;
    }

    private boolean waitForOutcomes(long sent) throws InterruptedException {
        while (tally.acknowledged.get() + tally.failed.get() < sent) {
            if (isStopped) {
                return false;
            }
            Thread.sleep(1);
        }
        return true;
    }
}
