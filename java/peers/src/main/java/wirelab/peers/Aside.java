package wirelab.peers;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Requests that each have a connection of their own, and so a thread of their own; what fails is the request's alone. */
final class Aside implements Protocol.Publisher {
    /** Asks one request, tells when it is answered, and leaves; throws why it was not answered. */
    @FunctionalInterface
    interface Exchange {
        void ask(long seq, byte[] message) throws Exception;
    }

    private final Exchange exchange;
    private final Outcomes outcomes;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "request");
        thread.setDaemon(true);
        return thread;
    });

    Aside(Outcomes outcomes, Exchange exchange) {
        this.outcomes = outcomes;
        this.exchange = exchange;
    }

    @Override
    public void send(long seq, byte[] message) {
        threads.execute(() -> {
            try {
                exchange.ask(seq, message);
            } catch (Exception e) {
                outcomes.unanswered(seq, e);
            }
        });
    }

    /** Nothing shows when the last byte has left; each request tells its own end. */
    @Override
    public void flush() {}

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
