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

/**
 * CoAP through Eclipse Californium: the publisher updates a resource, the subscriber observes it.
 */
final class Coap implements Protocol {
    /** Largest body that the library is set to accept. Its default is 8 KiB. */
    static final int MAX_MESSAGE = 8 << 20;

    @Override
    public Described describe() {
        Map<String, String> options = new TreeMap<>(Map.of("ack_random_factor", "1.5", "ack_timeout_ms", "2000", "block_size", "1024",
                "connection", "kept", "max_retransmit", "4", "method", "post", "non_timeout_ms", "4000", "nstart", "1"));
        options.putAll(Dtls.OPTIONS);
        return new Described("coap-californium", "coap", "californium", LibraryVersions.find("californium-core"),
                List.of(new Level("non", "best-effort", false), new Level("con", "best-effort", true)),
                true, MAX_MESSAGE, List.of("coap"), options);
    }

    @Override
    public Publisher connectPublisher(Setup setup, Outcomes outcomes) throws Exception {
        checkReachable(setup, setup.timeoutMs());
        return new Sender(setup, outcomes, startEndpoint(setup));
    }

    @Override
    public Subscriber connectSubscriber(Setup setup, Inbox inbox) throws Exception {
        long deadline = System.nanoTime() + setup.timeoutMs() * 1_000_000;
        checkReachable(setup, setup.timeoutMs());
        CoapEndpoint endpoint = startEndpoint(setup);
        CoapRegistration registration = new CoapRegistration(setup, endpoint);
        endpoint.addNotificationListener((observe, response) -> {
            if (!registration.isInitialState(response)) {
                inbox.deliver(response.getPayload(), false);
            }
        });
        try {
            Response first = registration.register(deadline);
            if (!first.isSuccess() || !first.getOptions().hasObserve()) {
                throw Fault.fatal("observe " + setup.topic() + " at " + setup.server(), "the server answered " + first.getCode());
            }
        } catch (Fault fault) {
            endpoint.destroy();
            throw fault;
        }
        return () -> {
            registration.cancel();
            endpoint.destroy();
        };
    }

    @Override
    public boolean supportsRequests() {
        return true;
    }

    @Override
    public Publisher connectRequester(Setup setup, Outcomes outcomes) throws Exception {
        return CoapRequester.connect(setup, outcomes);
    }

    @Override
    public Subscriber connectResponder(Setup setup, Responder responder) throws Exception {
        return CoapResponder.connect(setup, responder);
    }

    static String buildUri(Setup setup) {
        return (setup.getText("transport").equals("dtls") ? "coaps://" : "coap://") + setup.server() + "/" + setup.topic();
    }

    static CoapEndpoint startEndpoint(Setup setup) throws Exception {
        CoapEndpoint endpoint = createEndpoint(setup, new InetSocketAddress(0));
        endpoint.start();
        if (Dtls.isEnabled(setup)) {
            Dtls.checkReachable(endpoint, setup);
        }
        return endpoint;
    }

    /** An endpoint that is not started yet. */
    static CoapEndpoint createEndpoint(Setup setup, InetSocketAddress local) throws Exception {
        CoapConfig.register();
        UdpConfig.register();
        DtlsConfig.register();
        Configuration config = Configuration.createStandardWithoutFile();
        config.set(CoapConfig.ACK_TIMEOUT, setup.getInt("ack_timeout_ms", 1), TimeUnit.MILLISECONDS);
        config.set(CoapConfig.ACK_INIT_RANDOM, parseFloat(setup, "ack_random_factor"));
        config.set(CoapConfig.MAX_RETRANSMIT, setup.getInt("max_retransmit", 0));
        config.set(CoapConfig.PREFERRED_BLOCK_SIZE, setup.getInt("block_size", 16));
        config.set(CoapConfig.MAX_MESSAGE_SIZE, setup.getInt("block_size", 16));
        config.set(CoapConfig.MAX_RESOURCE_BODY_SIZE, MAX_MESSAGE);
        // The tracker of message IDs limits the rate to about 265 messages/s: an ID is reused after
        // EXCHANGE_LIFETIME only.
        config.set(CoapConfig.MID_TRACKER, CoapConfig.TrackerMode.NULL);
        CoapEndpoint.Builder endpoint = new CoapEndpoint.Builder().setConfiguration(config);
        return (Dtls.isEnabled(setup) ? endpoint.setConnector(Dtls.createConnector(config, local, setup)) : endpoint.setInetSocketAddress(local))
                .build();
    }

    private static float parseFloat(Setup setup, String option) throws Fault {
        try {
            return Float.parseFloat(setup.getText(option));
        } catch (NumberFormatException e) {
            throw Fault.fatal("option " + option, "\"" + setup.getText(option) + "\" is not a number");
        }
    }

    /**
     * Check that a server responds; over DTLS the handshake shows it. Throws a fatal fault
     * otherwise.
     */
    static void checkReachable(Setup setup, long withinMs) throws Fault {
        if (!Dtls.isEnabled(setup)) {
            CoapPing.ping(setup, withinMs);
        }
    }

    /** The method of updates. Throws a fatal fault unless it is post or put. */
    static CoAP.Code parseMethod(Setup setup) throws Fault {
        return setup.isAlternative("method", "post", "put") ? CoAP.Code.PUT : CoAP.Code.POST;
    }

    /**
     * After a message timed out: report a fault and return false if the server's port refuses; a
     * lost message is not a fault.
     */
    static boolean checkServer(Setup setup, Outcomes outcomes) {
        try {
            CoapPing.ping(setup, 200);
        } catch (Fault fault) {
            if (fault.getMessage().contains("refused")) {
                outcomes.reportFault(Fault.fatal("connection to " + setup.server(), "connection refused"));
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
            method = parseMethod(setup);
            free = new Semaphore(setup.getInt("nstart", 1));
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            while (isConfirmable && !isBroken && !free.tryAcquire(50, TimeUnit.MILLISECONDS)) {
                Thread.onSpinWait();
            }
            Request request = new Request(method);
            request.setConfirmable(isConfirmable);
            request.setURI(buildUri(setup));
            request.setPayload(message);
            request.addMessageObserver(new ResultObserver(seq));
            endpoint.sendRequest(request);
        }

        /** Does nothing: the library sends NON datagrams at once. */
        @Override
        public void flush() {}

        @Override
        public void close() {
            endpoint.destroy();
        }

        private final class ResultObserver extends MessageObserverAdapter {
            private final long seq;
            private final AtomicBoolean isReported = new AtomicBoolean();

            private ResultObserver(long seq) {
                this.seq = seq;
            }

            @Override
            public void onResponse(Response response) {
                report(response.isSuccess());
            }

            @Override
            protected void failed() {
                report(false);
            }

            @Override
            public void onTimeout() {
                if (isConfirmable) {
                    isBroken |= !checkServer(setup, outcomes);
                }
                report(false);
            }

            private void report(boolean isAccepted) {
                if (!isReported.compareAndSet(false, true)) {
                    return;
                }
                if (isConfirmable) {
                    if (isAccepted) {
                        outcomes.recordAcknowledged(seq);
                    } else {
                        outcomes.recordFailed(seq);
                    }
                    free.release();
                }
            }
        }
    }
}
