package wirelab.peers;

import java.io.IOException;
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
import org.eclipse.californium.core.coap.CoAP.ResponseCode;
import org.eclipse.californium.core.coap.MessageObserverAdapter;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.network.Exchange;
import org.eclipse.californium.core.server.MessageDeliverer;

/** Requests and answers through Californium: they are CoAP's own, so the responder is a server. */
final class CoapAsking {
    private CoapAsking() {}

    /** The side that asks: over one endpoint, or over an endpoint for each request. */
    static Protocol.Publisher requester(Setup setup, Outcomes outcomes) throws Exception {
        boolean isEach = setup.connectsEach();
        CoAP.Code method = Coap.method(setup);
        int patienceMs = setup.number("non_timeout_ms", 1);
        Coap.probe(setup, setup.timeoutMs());
        if (isEach) {
            Coap.endpoint(setup).destroy();
            ScheduledExecutorService threads = Executors.newScheduledThreadPool(2, CoapAsking::daemon);
            return new Aside(outcomes, (seq, message) -> askOnce(setup, method, patienceMs, threads, seq, message, outcomes));
        }
        return new Kept(setup, outcomes, Coap.endpoint(setup), method, patienceMs);
    }

    private static void askOnce(Setup setup, CoAP.Code method, int patienceMs, ScheduledExecutorService threads, long seq,
            byte[] message, Outcomes outcomes) throws Exception {
        CompletableFuture<Void> over = new CompletableFuture<>();
        CoapEndpoint endpoint = Coap.made(setup, new InetSocketAddress(0));
        // Threads of its own would take longer to start than the request.
        endpoint.setExecutors(threads, threads);
        endpoint.start();
        try {
            Request request = request(setup, method, message);
            request.addMessageObserver(new Fate(isAnswered -> {
                if (isAnswered) {
                    outcomes.answered(seq);
                    over.complete(null);
                } else {
                    over.completeExceptionally(Fault.minor("request", "no answer"));
                }
            }));
            endpoint.sendRequest(request);
            if (request.isConfirmable()) {
                over.get();
            } else {
                over.get(patienceMs, TimeUnit.MILLISECONDS);
            }
        } catch (TimeoutException e) {
            throw Fault.minor("request", "no answer within " + patienceMs + " ms");
        } finally {
            endpoint.destroy();
        }
    }

    /** What a message asks for: by the method and the path that it names, else by `usual`, the message as the body. */
    private static Request request(Setup setup, CoAP.Code usual, byte[] message) {
        Ask ask = Ask.read(message);
        Request request = new Request(ask == null ? usual : CoAP.Code.valueOf(ask.verb()));
        request.setConfirmable(setup.qos().equals("con"));
        request.setURI(Coap.uri(setup));
        byte[] body = message;
        if (ask != null) {
            request.getOptions().addUriPath(ask.target());
            body = ask.body();
        }
        if (body.length > 0) {
            if (!request.isIntendedPayload()) {
                request.setUnintendedPayload();
            }
            request.setPayload(body);
        }
        return request;
    }

    /** Listen at the setup's address, and answer what is asked of the topic. */
    static Protocol.Subscriber responder(Setup setup, Desk desk) throws Exception {
        CoapEndpoint endpoint = Coap.made(setup, new InetSocketAddress(setup.address(), setup.port()));
        endpoint.setMessageDeliverer(new Answering(setup.topic(), desk));
        try {
            endpoint.start();
        } catch (IOException e) {
            throw Fault.fatal("listen on " + setup.server(), e);
        }
        return endpoint::destroy;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "coap");
        thread.setDaemon(true);
        return thread;
    }

    /** Tells once whether a request was answered; what could not be done is an answer as well. */
    private static final class Fate extends MessageObserverAdapter {
        private final Consumer<Boolean> told;
        private final AtomicBoolean isTold = new AtomicBoolean();

        private Fate(Consumer<Boolean> told) {
            this.told = told;
        }

        @Override
        public void onResponse(Response response) {
            tell(!response.isServerError());
        }

        @Override
        protected void failed() {
            tell(false);
        }

        private void tell(boolean isAnswered) {
            if (isTold.compareAndSet(false, true)) {
                told.accept(isAnswered);
            }
        }
    }

    /** Over one endpoint: CON requests wait for NSTART, NON ones are given up when they have no answer. */
    private static final class Kept implements Protocol.Publisher {
        private final Setup setup;
        private final Outcomes outcomes;
        private final CoapEndpoint endpoint;
        private final CoAP.Code method;
        private final int patienceMs;
        private final boolean isConfirmable;
        private final Semaphore free;
        private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, CoapAsking::daemon);

        private Kept(Setup setup, Outcomes outcomes, CoapEndpoint endpoint, CoAP.Code method, int patienceMs) throws Fault {
            this.setup = setup;
            this.outcomes = outcomes;
            this.endpoint = endpoint;
            this.method = method;
            this.patienceMs = patienceMs;
            isConfirmable = setup.qos().equals("con");
            free = new Semaphore(setup.number("nstart", 1));
            clock.setRemoveOnCancelPolicy(true);
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            Request request = request(setup, method, message);
            if (isConfirmable) {
                free.acquire();
                request.addMessageObserver(new Fate(isAnswered -> {
                    free.release();
                    tell(seq, isAnswered);
                }));
            } else {
                ScheduledFuture<?> patience = clock.schedule(request::cancel, patienceMs, TimeUnit.MILLISECONDS);
                request.addMessageObserver(new Fate(isAnswered -> {
                    patience.cancel(false);
                    tell(seq, isAnswered);
                }));
            }
            endpoint.sendRequest(request);
        }

        private void tell(long seq, boolean isAnswered) {
            if (isAnswered) {
                outcomes.answered(seq);
                return;
            }
            outcomes.failed(seq);
            if (isConfirmable) {
                Coap.lookForServer(setup, outcomes);
            }
        }

        /** Datagrams are in the library's hands; it sends them at once. */
        @Override
        public void flush() {}

        @Override
        public void close() {
            endpoint.destroy();
        }
    }

    private record Answering(String topic, Desk desk) implements MessageDeliverer {
        @Override
        public void deliverRequest(Exchange exchange) {
            String path = exchange.getRequest().getOptions().getUriPathString();
            boolean isOurs = path.equals(topic) || path.startsWith(topic + "/");
            exchange.sendResponse(isOurs ? answer(exchange.getRequest(), path) : new Response(ResponseCode.NOT_FOUND));
        }

        private Response answer(Request request, String path) {
            byte[] body = request.getPayload();
            String target = path.substring(Math.min(path.length(), topic.length() + 1));
            boolean isPost = request.getCode() == CoAP.Code.POST;
            byte[] message = isPost ? body : new Ask(request.getCode().name(), target, body).write();
            Desk.Answer answer = desk.answer(message, false);
            ResponseCode done = switch (request.getCode()) {
                case GET -> ResponseCode.CONTENT;
                case DELETE -> ResponseCode.DELETED;
                default -> ResponseCode.CHANGED;
            };
            Response response = new Response(answer.isDone() ? done : ResponseCode.CONFLICT);
            response.setPayload(answer.body());
            return response;
        }

        /** A server asks nobody. */
        @Override
        public void deliverResponse(Exchange exchange, Response response) {}
    }
}
