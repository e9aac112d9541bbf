package wirelab.peers;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.eclipse.californium.core.coap.CoAP;
import org.eclipse.californium.core.coap.MessageObserverAdapter;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.network.CoapEndpoint;

/**
 * The requester over CoAP, through Californium: over one endpoint, or over an endpoint per request.
 */
final class CoapRequester {
    private CoapRequester() {}

    static Protocol.Publisher connect(Setup setup, Outcomes outcomes) throws Exception {
        boolean isPerRequest = setup.connectsPerRequest();
        CoAP.Code method = Coap.parseMethod(setup);
        int timeoutMs = setup.getInt("non_timeout_ms", 1);
        Coap.checkReachable(setup, setup.timeoutMs());
        if (isPerRequest) {
            Coap.startEndpoint(setup).destroy();
            ScheduledExecutorService threads = Executors.newScheduledThreadPool(2, CoapRequester::createDaemon);
            return new ConnectionPerRequest(outcomes, (seq, message) ->
                    exchange(setup, method, timeoutMs, threads, seq, message, outcomes));
        }
        return new SingleEndpoint(setup, outcomes, Coap.startEndpoint(setup), method, timeoutMs);
    }

    /** One request and its answer over an endpoint of its own. */
    private static void exchange(Setup setup, CoAP.Code method, int timeoutMs, ScheduledExecutorService threads, long seq,
            byte[] message, Outcomes outcomes) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CoapEndpoint endpoint = Coap.createEndpoint(setup, new InetSocketAddress(0));
        // Shared threads: starting threads for each endpoint takes longer than the request.
        endpoint.setExecutors(threads, threads);
        endpoint.start();
        try {
            Request request = createRequest(setup, method, message);
            request.addMessageObserver(new ResultObserver(isAnswered -> {
                if (isAnswered) {
                    outcomes.recordAnswered(seq);
                    done.complete(null);
                } else {
                    done.completeExceptionally(Fault.minor("request", "no answer"));
                }
            }));
            endpoint.sendRequest(request);
            if (request.isConfirmable()) {
                done.get();
            } else {
                done.get(timeoutMs, TimeUnit.MILLISECONDS);
            }
        } catch (TimeoutException e) {
            throw Fault.minor("request", "no answer within " + timeoutMs + " ms");
        } finally {
            endpoint.destroy();
        }
    }

    /**
     * The request for a message: the method and path it names, else `defaultMethod` with the
     * message as the body.
     */
    private static Request createRequest(Setup setup, CoAP.Code defaultMethod, byte[] message) {
        ResourceRequest parsed = ResourceRequest.parse(message);
        Request request = new Request(parsed == null ? defaultMethod : CoAP.Code.valueOf(parsed.method()));
        request.setConfirmable(setup.qos().equals("con"));
        request.setURI(Coap.buildUri(setup));
        byte[] body = message;
        if (parsed != null) {
            request.getOptions().addUriPath(parsed.target());
            body = parsed.body();
        }
        if (body.length > 0) {
            if (!request.isIntendedPayload()) {
                request.setUnintendedPayload();
            }
            request.setPayload(body);
        }
        return request;
    }

    private static Thread createDaemon(Runnable task) {
        Thread thread = new Thread(task, "coap");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Reports once whether a request was answered. A refusal by the application is an answer too.
     */
    private static final class ResultObserver extends MessageObserverAdapter {
        private final Consumer<Boolean> listener;
        private final AtomicBoolean isReported = new AtomicBoolean();

        private ResultObserver(Consumer<Boolean> listener) {
            this.listener = listener;
        }

        @Override
        public void onResponse(Response response) {
            report(!response.isServerError());
        }

        @Override
        protected void failed() {
            report(false);
        }

        private void report(boolean isAnswered) {
            if (isReported.compareAndSet(false, true)) {
                listener.accept(isAnswered);
            }
        }
    }

    /**
     * All requests over one endpoint. NSTART limits open CON requests; NON requests are cancelled
     * after a timeout.
     */
    private static final class SingleEndpoint implements Protocol.Publisher {
        private final Setup setup;
        private final Outcomes outcomes;
        private final CoapEndpoint endpoint;
        private final CoAP.Code method;
        private final int timeoutMs;
        private final boolean isConfirmable;
        private final Semaphore free;
        private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, CoapRequester::createDaemon);

        private SingleEndpoint(Setup setup, Outcomes outcomes, CoapEndpoint endpoint, CoAP.Code method, int timeoutMs)
                throws Fault {
            this.setup = setup;
            this.outcomes = outcomes;
            this.endpoint = endpoint;
            this.method = method;
            this.timeoutMs = timeoutMs;
            isConfirmable = setup.qos().equals("con");
            free = new Semaphore(setup.getInt("nstart", 1));
            timer.setRemoveOnCancelPolicy(true);
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            Request request = createRequest(setup, method, message);
            if (isConfirmable) {
                free.acquire();
                request.addMessageObserver(new ResultObserver(isAnswered -> {
                    free.release();
                    record(seq, isAnswered);
                }));
            } else {
                ScheduledFuture<?> timeout = timer.schedule(request::cancel, timeoutMs, TimeUnit.MILLISECONDS);
                request.addMessageObserver(new ResultObserver(isAnswered -> {
                    timeout.cancel(false);
                    record(seq, isAnswered);
                }));
            }
            endpoint.sendRequest(request);
        }

        private void record(long seq, boolean isAnswered) {
            if (isAnswered) {
                outcomes.recordAnswered(seq);
                return;
            }
            outcomes.recordFailed(seq);
            if (isConfirmable) {
                Coap.checkServer(setup, outcomes);
            }
        }

        /** Does nothing: the library sends datagrams at once. */
        @Override
        public void flush() {}

        @Override
        public void close() {
            endpoint.destroy();
        }
    }
}
