package wirelab.peers;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Sends each request over a connection of its own, on a thread of its own. A failure affects that
 * request only.
 */
final class ConnectionPerRequest implements Protocol.Publisher {
    /**
     * Connects, sends one request, reports its answer and disconnects. Throws the reason
     * if there is no answer.
     */
    @FunctionalInterface
    interface Exchange {
        void run(long seq, byte[] message) throws Exception;
    }

    private final Exchange exchange;
    private final Outcomes outcomes;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "request");
        thread.setDaemon(true);
        return thread;
    });

    ConnectionPerRequest(Outcomes outcomes, Exchange exchange) {
        this.outcomes = outcomes;
        this.exchange = exchange;
    }

    @Override
    public void send(long seq, byte[] message) {
        threads.execute(() -> {
            try {
                exchange.run(seq, message);
            } catch (Exception e) {
                outcomes.recordUnanswered(seq, e);
            }
        });
    }

    /** Does nothing: each request reports its own end. */
    @Override
    public void flush() {}

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
