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
    /** 268,435,455 B after the first bytes (MQTT 3.1.1, 2.2.3; MQTT 5, 2.1.4); what precedes the payload is less than 128 KiB. */
    private static final long MAX_MESSAGE = 268_435_455 - 131_072;
    private static final long FAREWELL_MS = 500;

    private final boolean isFive;

    HiveMqtt(boolean isFive) {
        this.isFive = isFive;
    }

    /** What both versions of the library's client can do. */
    private interface Client {
        CompletableFuture<?> connect() throws Fault;

        /** Completes with the qos granted. */
        CompletableFuture<Integer> subscribe(Consumer<byte[]> arrivals);

        /** Completes when the message is written (qos 0) or its exchange is over. */
        CompletableFuture<?> publish(byte[] message);

        CompletableFuture<Void> disconnect();
    }

    @Override
    public Described describe() {
        Map<String, String> options = new TreeMap<>(Map.of("authority", "", "clean", "true", "inflight", "1000",
                "keep_alive_s", "60", "password", "", "retain", "false", "transport", "tcp", "user", ""));
        if (isFive) {
            options.putAll(Map.of("message_expiry_s", "0", "receive_maximum", "65535", "session_expiry_s", "0"));
        }
        String protocol = isFive ? "mqtt5" : "mqtt";
        return new Described(protocol + "-hivemq", protocol, "hivemq", Versions.of("hivemq-mqtt-client"),
                List.of(new Level("0", "at-most-once", false), new Level("1", "at-least-once", true),
                        new Level("2", "exactly-once", true)),
                true, MAX_MESSAGE, List.of("mqtt"), options);
    }

    @Override
    public Publisher publisher(Setup setup, Outcomes outcomes) throws Exception {
        Sender sender = new Sender(setup, outcomes);
        sender.client = connected(setup, fault -> {
            sender.isBroken = true;
            outcomes.fault(fault);
        });
        return sender;
    }

    @Override
    public Subscriber subscriber(Setup setup, Inbox inbox) throws Exception {
        Client client = connected(setup, inbox::fault);
        int qos = Integer.parseInt(setup.qos());
        int granted = setup.within(() -> client.subscribe(message -> inbox.deliver(message, false)).get());
        if (granted != qos) {
            throw Fault.fatal("subscribe " + setup.topic(), "asked for qos " + qos + ", the server granted " + granted);
        }
        return () -> client.disconnect().get(FAREWELL_MS, TimeUnit.MILLISECONDS);
    }

    private Client connected(Setup setup, Consumer<Fault> broken) throws Fault {
        Client client = isFive ? new Five(setup, broken) : new Three(setup, broken);
        CompletableFuture<?> connecting = client.connect();
        setup.within(connecting::get);
        return client;
    }

    /** Address, transport, and who is told when the connection breaks after it was there. */
    private static MqttClientBuilder common(Setup setup, Consumer<Fault> broken) throws Fault {
        MqttClientBuilder builder = MqttClient.builder().identifier(setup.client())
                .serverHost(setup.address()).serverPort(setup.port())
                .addDisconnectedListener(context -> {
                    boolean isLost = context.getClientConfig().getState().isConnected();
                    if (isLost && context.getSource() != MqttDisconnectSource.USER) {
                        broken.accept(setup.broken(context.getCause()));
                    }
                });
        String transport = setup.text("transport");
        switch (transport) {
            case "tcp", "ws" -> { }
            case "tls", "wss" -> builder.sslConfig(MqttClientSslConfig.builder()
                    .trustManagerFactory(Tls.managers(setup.text("authority"))).protocols(List.of("TLSv1.3")).build());
            default -> throw Fault.fatal(
                    "option transport", "\"" + transport + "\" is none of tcp, tls, ws, wss");
        }
        return transport.startsWith("w") ? builder.webSocketConfig().serverPath("mqtt").applyWebSocketConfig() : builder;
    }

    private static MqttQos qos(Setup setup) {
        return MqttQos.fromCode(Integer.parseInt(setup.qos()));
    }

    private static final class Three implements Client {
        private final Setup setup;
        private final boolean isRetained;
        private final Mqtt3AsyncClient client;

        private Three(Setup setup, Consumer<Fault> broken) throws Fault {
            this.setup = setup;
            isRetained = setup.flag("retain");
            client = common(setup, broken).useMqttVersion3().buildAsync();
        }

        @Override
        public CompletableFuture<?> connect() throws Fault {
            var connect = client.connectWith().cleanSession(setup.flag("clean")).keepAlive(setup.number("keep_alive_s", 0));
            Login.of(setup).ifPresent(login ->
                    connect.simpleAuth().username(login.user()).password(login.secret()).applySimpleAuth());
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

    private static final class Five implements Client {
        private final Setup setup;
        private final boolean isRetained;
        private final int expiry;
        private final Mqtt5AsyncClient client;

        private Five(Setup setup, Consumer<Fault> broken) throws Fault {
            this.setup = setup;
            isRetained = setup.flag("retain");
            expiry = setup.number("message_expiry_s", 0);
            client = common(setup, broken).useMqttVersion5().buildAsync();
        }

        @Override
        public CompletableFuture<?> connect() throws Fault {
            int most = setup.number("receive_maximum", 1);
            var connect = client.connectWith().cleanStart(setup.flag("clean")).keepAlive(setup.number("keep_alive_s", 0))
                    .sessionExpiryInterval(setup.number("session_expiry_s", 0))
                    .restrictions().receiveMaximum(most).applyRestrictions();
            Login.of(setup).ifPresent(login ->
                    connect.simpleAuth().username(login.user()).password(login.secret()).applySimpleAuth());
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
            var made = Mqtt5Publish.builder().topic(setup.topic()).payload(message).qos(qos(setup)).retain(isRetained);
            return client.publish(expiry == 0 ? made.build() : made.messageExpiryInterval(expiry).build())
                    .thenApply(Five::taken);
        }

        /** Throws what the server refused. */
        private static Mqtt5PublishResult taken(Mqtt5PublishResult result) {
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

    /** As many messages are on their way at once as the option says: the library itself takes any number. */
    private static final class Sender implements Publisher {
        private final boolean acknowledges;
        private final int most;
        private final Semaphore free;
        private final Outcomes outcomes;
        private Client client;
        private volatile boolean isBroken;

        private Sender(Setup setup, Outcomes outcomes) throws Fault {
            this.outcomes = outcomes;
            acknowledges = !setup.qos().equals("0");
            most = setup.number("inflight", 1);
            free = new Semaphore(most);
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            take(1);
            client.publish(message).whenComplete((done, error) -> {
                if (acknowledges && error == null) {
                    outcomes.acknowledged(seq);
                } else if (acknowledges && !isBroken) {
                    outcomes.failed(seq);
                }
                free.release();
            });
        }

        @Override
        public void flush() throws Exception {
            take(most);
        }

        private void take(int permits) throws InterruptedException {
            while (!isBroken && !free.tryAcquire(permits, 50, TimeUnit.MILLISECONDS)) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() throws Exception {
            client.disconnect().get(FAREWELL_MS, TimeUnit.MILLISECONDS);
        }
    }
}
