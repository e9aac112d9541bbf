package wirelab.peers;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.californium.core.coap.CoAP;
import org.eclipse.californium.core.coap.MessageObserverAdapter;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.elements.config.UdpConfig;
import org.eclipse.californium.scandium.config.DtlsConfig;

/** CoAP through Eclipse Californium: the publisher updates a resource, the subscriber observes it. */
final class Coap implements Protocol {
    /** What the library is told to take as one body; its own default is 8 KiB. */
    static final int MAX_MESSAGE = 8 << 20;

    @Override
    public Described describe() {
        Map<String, String> options = new TreeMap<>(Map.of("ack_random_factor", "1.5", "ack_timeout_ms", "2000", "block_size", "1024",
                "connection", "kept", "max_retransmit", "4", "method", "post", "non_timeout_ms", "4000", "nstart", "1"));
        options.putAll(Dtls.OPTIONS);
        return new Described("coap-californium", "coap", "californium", Versions.of("californium-core"),
                List.of(new Level("non", "best-effort", false), new Level("con", "best-effort", true)),
                true, MAX_MESSAGE, List.of("coap"), options);
    }

    @Override
    public Publisher publisher(Setup setup, Outcomes outcomes) throws Exception {
        probe(setup, setup.timeoutMs());
        return new Sender(setup, outcomes, endpoint(setup));
    }

    @Override
    public Subscriber subscriber(Setup setup, Inbox inbox) throws Exception {
        long deadline = System.nanoTime() + setup.timeoutMs() * 1_000_000;
        probe(setup, setup.timeoutMs());
        CoapEndpoint endpoint = endpoint(setup);
        CoapRegistration registration = new CoapRegistration(setup, endpoint);
        endpoint.addNotificationListener((observe, response) -> {
            if (!registration.isState(response)) {
                inbox.deliver(response.getPayload(), false);
            }
        });
        try {
            Response first = registration.answer(deadline);
            if (!first.isSuccess() || !first.getOptions().hasObserve()) {
                throw Fault.fatal("observe " + setup.topic() + " at " + setup.server(), "the server answered " + first.getCode());
            }
        } catch (Fault fault) {
            endpoint.destroy();
            throw fault;
        }
        return () -> {
            registration.leave();
            endpoint.destroy();
        };
    }

    @Override
    public boolean answers() {
        return true;
    }

    @Override
    public Publisher requester(Setup setup, Outcomes outcomes) throws Exception {
        return CoapAsking.requester(setup, outcomes);
    }

    @Override
    public Subscriber responder(Setup setup, Desk desk) throws Exception {
        return CoapAsking.responder(setup, desk);
    }

    static String uri(Setup setup) {
        return (setup.text("transport").equals("dtls") ? "coaps://" : "coap://") + setup.server() + "/" + setup.topic();
    }

    static CoapEndpoint endpoint(Setup setup) throws Exception {
        CoapEndpoint endpoint = made(setup, new InetSocketAddress(0));
        endpoint.start();
        if (Dtls.isWanted(setup)) {
            Dtls.probe(endpoint, setup);
        }
        return endpoint;
    }

    /** An endpoint that has still to be started. */
    static CoapEndpoint made(Setup setup, InetSocketAddress own) throws Exception {
        CoapConfig.register();
        UdpConfig.register();
        DtlsConfig.register();
        Configuration config = Configuration.createStandardWithoutFile();
        config.set(CoapConfig.ACK_TIMEOUT, setup.number("ack_timeout_ms", 1), TimeUnit.MILLISECONDS);
        config.set(CoapConfig.ACK_INIT_RANDOM, decimal(setup, "ack_random_factor"));
        config.set(CoapConfig.MAX_RETRANSMIT, setup.number("max_retransmit", 0));
        config.set(CoapConfig.PREFERRED_BLOCK_SIZE, setup.number("block_size", 16));
        config.set(CoapConfig.MAX_MESSAGE_SIZE, setup.number("block_size", 16));
        config.set(CoapConfig.MAX_RESOURCE_BODY_SIZE, MAX_MESSAGE);
        // Its tracker stops at some 265 messages/s, when no message ID is free for EXCHANGE_LIFETIME.
        config.set(CoapConfig.MID_TRACKER, CoapConfig.TrackerMode.NULL);
        CoapEndpoint.Builder endpoint = new CoapEndpoint.Builder().setConfiguration(config);
        return (Dtls.isWanted(setup) ? endpoint.setConnector(Dtls.connector(config, own, setup)) : endpoint.setInetSocketAddress(own))
                .build();
    }

    private static float decimal(Setup setup, String option) throws Fault {
        try {
            return Float.parseFloat(setup.text(option));
        } catch (NumberFormatException e) {
            throw Fault.fatal("option " + option, "\"" + setup.text(option) + "\" is no number");
        }
    }

    /** Ask the server whether it is there; over DTLS the handshake tells. Throws the fault to tell. */
    static void probe(Setup setup, long withinMs) throws Fault {
        if (!Dtls.isWanted(setup)) {
            CoapPing.ping(setup, withinMs);
        }
    }

    /** The method of updates. Throws a fatal fault, unless it is post or put. */
    static CoAP.Code method(Setup setup) throws Fault {
        return setup.isOther("method", "post", "put") ? CoAP.Code.PUT : CoAP.Code.POST;
    }

    /** A message given up may have been lost on the way; a port that refuses is a server that is gone. */
    static boolean lookForServer(Setup setup, Outcomes outcomes) {
        try {
            CoapPing.ping(setup, 200);
        } catch (Fault fault) {
            if (fault.getMessage().contains("refused")) {
                outcomes.fault(Fault.fatal("connection to " + setup.server(), "connection refused"));
                return false;
            }
        }
        return true;
    }

    private static final class Sender implements Publisher {
        private final Setup setup;
        private final Outcomes outcomes;
        private final CoapEndpoint endpoint;
        private final boolean isConfirmable;
        private final CoAP.Code method;
        private final Semaphore free;
        private volatile boolean isBroken;

        private Sender(Setup setup, Outcomes outcomes, CoapEndpoint endpoint) throws Fault {
            this.setup = setup;
            this.outcomes = outcomes;
            this.endpoint = endpoint;
            isConfirmable = setup.qos().equals("con");
            method = method(setup);
            free = new Semaphore(setup.number("nstart", 1));
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            while (isConfirmable && !isBroken && !free.tryAcquire(50, TimeUnit.MILLISECONDS)) {
                Thread.onSpinWait();
            }
            Request request = new Request(method);
            request.setConfirmable(isConfirmable);
            request.setURI(uri(setup));
            request.setPayload(message);
            request.addMessageObserver(new Fate(seq));
            endpoint.sendRequest(request);
        }

        /** NON datagrams are in the library's hands; it sends them at once. */
        @Override
        public void flush() {}

        @Override
        public void close() {
            endpoint.destroy();
        }

        private final class Fate extends MessageObserverAdapter {
            private final long seq;
            private final AtomicBoolean isTold = new AtomicBoolean();

            private Fate(long seq) {
                this.seq = seq;
            }

            @Override
            public void onResponse(Response response) {
                told(response.isSuccess());
            }

            @Override
            protected void failed() {
                told(false);
            }

            @Override
            public void onTimeout() {
                if (isConfirmable) {
                    isBroken |= !lookForServer(setup, outcomes);
                }
                told(false);
            }

            private void told(boolean isTaken) {
                if (!isTold.compareAndSet(false, true)) {
                    return;
                }
                if (isConfirmable) {
                    if (isTaken) {
                        outcomes.acknowledged(seq);
                    } else {
                        outcomes.failed(seq);
                    }
                    free.release();
                }
            }
        }
    }
}
