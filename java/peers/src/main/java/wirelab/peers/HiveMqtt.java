package wirelab.peers;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttClientBuilder;
import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.lifecycle.MqttDisconnectSource;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** MQTT 3.1.1 and 5 through HiveMQ's client. */
final class HiveMqtt implements Protocol {
    /**
     * A packet holds 268,435,455 B after its fixed header (MQTT 3.1.1, 2.2.3; MQTT 5, 2.1.4). At
     * most 128 KiB precede the payload.
     */
    private static final long MAX_MESSAGE = 268_435_455 - 131_072;
    private static final long CLOSE_TIMEOUT_MS = 500;

    private final boolean isVersion5;

    HiveMqtt(boolean isVersion5) {
        this.isVersion5 = isVersion5;
    }

    /** The operations that both versions of the library's client have. */
    private interface Client {
        CompletableFuture<?> connect() throws Fault;

        /** Completes with the qos granted. */
        CompletableFuture<Integer> subscribe(Consumer<byte[]> arrivals);

        /** Completes when the message is written (qos 0) or its acknowledgement is complete. */
        CompletableFuture<?> publish(byte[] message);

        CompletableFuture<Void> disconnect();
    }

    @Override
    public Described describe() {
        Map<String, String> options = new TreeMap<>(Map.of("authority", "", "clean", "true", "inflight", "1000",
                "keep_alive_s", "60", "password", "", "retain", "false", "transport", "tcp", "user", ""));
        if (isVersion5) {
            options.putAll(Map.of("message_expiry_s", "0", "receive_maximum", "65535", "session_expiry_s", "0"));
        }
        String protocol = isVersion5 ? "mqtt5" : "mqtt";
        return new Described(protocol + "-hivemq", protocol, "hivemq", LibraryVersions.find("hivemq-mqtt-client"),
                List.of(new Level("0", "at-most-once", false), new Level("1", "at-least-once", true),
                        new Level("2", "exactly-once", true)),
                true, MAX_MESSAGE, List.of("mqtt"), options);
    }

    @Override
    public Publisher connectPublisher(Setup setup, Outcomes outcomes) throws Exception {
        Sender sender = new Sender(setup, outcomes);
        sender.client = connect(setup, fault -> {
            sender.isBroken = true;
            outcomes.reportFault(fault);
        });
        return sender;
    }

    @Override
    public Subscriber connectSubscriber(Setup setup, Inbox inbox) throws Exception {
        Client client = connect(setup, inbox::reportFault);
        int qos = Integer.parseInt(setup.qos());
        int granted = setup.runWithinTimeout(() -> client.subscribe(message -> inbox.deliver(message, false)).get());
        if (granted != qos) {
            throw Fault.fatal("subscribe " + setup.topic(), "requested qos " + qos + ", the server granted " + granted);
        }
        return () -> client.disconnect().get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    private Client connect(Setup setup, Consumer<Fault> broken) throws Fault {
        Client client = isVersion5 ? new Version5(setup, broken) : new Version3(setup, broken);
        CompletableFuture<?> connecting = client.connect();
        setup.runWithinTimeout(connecting::get);
        return client;
    }

    /** A builder with address, transport and a listener for a lost connection. */
    private static MqttClientBuilder createBuilder(Setup setup, Consumer<Fault> broken) throws Fault {
        MqttClientBuilder builder = MqttClient.builder().identifier(setup.client())
                .serverHost(setup.address()).serverPort(setup.port())
                .addDisconnectedListener(context -> {
                    boolean isLost = context.getClientConfig().getState().isConnected();
                    if (isLost && context.getSource() != MqttDisconnectSource.USER) {
                        broken.accept(setup.brokenFault(context.getCause()));
                    }
                });
        String transport = setup.getText("transport");
        switch (transport) {
            case "tcp", "ws" -> { }
            case "tls", "wss" -> builder.sslConfig(MqttClientSslConfig.builder()
                    .trustManagerFactory(Tls.createTrustManagers(setup.getText("authority"))).protocols(List.of("TLSv1.3")).build());
            default -> throw Fault.fatal(
                    "option transport", "\"" + transport + "\" is not one of tcp, tls, ws, wss");
        }
        return transport.startsWith("w") ? builder.webSocketConfig().serverPath("mqtt").applyWebSocketConfig() : builder;
    }

    private static MqttQos qos(Setup setup) {
        return MqttQos.fromCode(Integer.parseInt(setup.qos()));
    }

    private static final class Version3 implements Client {
        private final Setup setup;
        private final boolean isRetained;
        private final Mqtt3AsyncClient client;

        private Version3(Setup setup, Consumer<Fault> broken) throws Fault {
            this.setup = setup;
            isRetained = setup.getBoolean("retain");
            client = createBuilder(setup, broken).useMqttVersion3().buildAsync();
        }

        @Override
        public CompletableFuture<?> connect() throws Fault {
            var connect = client.connectWith().cleanSession(setup.getBoolean("clean")).keepAlive(setup.getInt("keep_alive_s", 0));
            Credentials.of(setup).ifPresent(credentials ->
                    connect.simpleAuth().username(credentials.user()).password(credentials.encodePassword()).applySimpleAuth());
            return connect.send();
        }

        @Override
        public CompletableFuture<Integer> subscribe(Consumer<byte[]> arrivals) {
            client.publishes(MqttGlobalPublishFilter.ALL, publish -> arrivals.accept(publish.getPayloadAsBytes()));
            return client.subscribeWith().topicFilter(setup.topic()).qos(qos(setup)).send()
                    .thenApply(answer -> answer.getReturnCodes().get(0).getCode());
        }

        @Override
        public CompletableFuture<?> publish(byte[] message) {
            return client.publishWith().topic(setup.topic()).payload(message).qos(qos(setup)).retain(isRetained).send();
        }

        @Override
        public CompletableFuture<Void> disconnect() {
            return client.disconnect();
        }
    }

    private static final class Version5 implements Client {
        private final Setup setup;
        private final boolean isRetained;
        private final int expiry;
        private final Mqtt5AsyncClient client;

        private Version5(Setup setup, Consumer<Fault> broken) throws Fault {
            this.setup = setup;
            isRetained = setup.getBoolean("retain");
            expiry = setup.getInt("message_expiry_s", 0);
            client = createBuilder(setup, broken).useMqttVersion5().buildAsync();
        }

        @Override
        public CompletableFuture<?> connect() throws Fault {
            int most = setup.getInt("receive_maximum", 1);
            var connect = client.connectWith().cleanStart(setup.getBoolean("clean")).keepAlive(setup.getInt("keep_alive_s", 0))
                    .sessionExpiryInterval(setup.getInt("session_expiry_s", 0))
                    .restrictions().receiveMaximum(most).applyRestrictions();
            Credentials.of(setup).ifPresent(credentials ->
                    connect.simpleAuth().username(credentials.user()).password(credentials.encodePassword()).applySimpleAuth());
            return connect.send();
        }

        @Override
        public CompletableFuture<Integer> subscribe(Consumer<byte[]> arrivals) {
            client.publishes(MqttGlobalPublishFilter.ALL, publish -> arrivals.accept(publish.getPayloadAsBytes()));
            return client.subscribeWith().topicFilter(setup.topic()).qos(qos(setup)).send()
                    .thenApply(answer -> answer.getReasonCodes().get(0).getCode());
        }

        @Override
        public CompletableFuture<?> publish(byte[] message) {
            var publish = Mqtt5Publish.builder().topic(setup.topic()).payload(message).qos(qos(setup)).retain(isRetained);
            return client.publish(expiry == 0 ? publish.build() : publish.messageExpiryInterval(expiry).build())
                    .thenApply(Version5::checkAccepted);
        }

        /** Throws the error if the server refused the message. */
        private static Mqtt5PublishResult checkAccepted(Mqtt5PublishResult result) {
            Optional<Throwable> error = result.getError();
            if (error.isPresent()) {
                throw new CompletionException(error.get());
            }
            return result;
        }

        @Override
        public CompletableFuture<Void> disconnect() {
            return client.disconnect();
        }
    }

    /** Limits unacknowledged messages to the option `inflight`: the library itself has no limit. */
    private static final class Sender implements Publisher {
        private final boolean acknowledges;
        private final int inflight;
        private final Semaphore free;
        private final Outcomes outcomes;
        private Client client;
        private volatile boolean isBroken;

        private Sender(Setup setup, Outcomes outcomes) throws Fault {
            this.outcomes = outcomes;
            acknowledges = !setup.qos().equals("0");
            inflight = setup.getInt("inflight", 1);
            free = new Semaphore(inflight);
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            acquire(1);
            client.publish(message).whenComplete((done, error) -> {
                if (acknowledges && error == null) {
                    outcomes.recordAcknowledged(seq);
                } else if (acknowledges && !isBroken) {
                    outcomes.recordFailed(seq);
                }
                free.release();
            });
        }

        @Override
        public void flush() throws Exception {
            acquire(inflight);
        }

        private void acquire(int permits) throws InterruptedException {
            while (!isBroken && !free.tryAcquire(permits, 50, TimeUnit.MILLISECONDS)) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() throws Exception {
            client.disconnect().get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        }
    }
}
