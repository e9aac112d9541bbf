package wirelab.peers;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.paho.client.mqttv3.IMqttToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/** MQTT 3.1.1 through Eclipse Paho's asynchronous client. */
final class Mqtt implements Protocol {
    /**
     * A packet holds 268,435,455 B after its fixed header (MQTT 3.1.1, 2.2.3). Topic and packet id
     * take up to 64 KiB + 4 B of it.
     */
    private static final long MAX_MESSAGE = 268_435_455 - 65_539;
    private static final long CLOSE_TIMEOUT_MS = 500;
    private static final long QUIESCE_MS = 20;

    @Override
    public Described describe() {
        Map<String, String> options = new TreeMap<>(Map.of("authority", "", "clean", "true", "connection", "kept", "inflight", "1000",
                "keep_alive_s", "60", "reports", "answered", "retain", "false", "tcp_nodelay", "true", "transport", "tcp"));
        options.putAll(Map.of("password", "", "user", ""));
        return new Described("mqtt-paho", "mqtt", "paho", LibraryVersions.find("org.eclipse.paho.client.mqttv3"),
                List.of(new Level("0", "at-most-once", false), new Level("1", "at-least-once", true),
                        new Level("2", "exactly-once", true)),
                true, MAX_MESSAGE, List.of("mqtt"), options);
    }

    @Override
    public Publisher connectPublisher(Setup setup, Outcomes outcomes) throws Exception {
        boolean isRetained = setup.getBoolean("retain");
        MqttConnection connection = new MqttConnection(setup, (topic, message) -> { }, outcomes::reportFault);
        return new Sender(connection, setup, isRetained, outcomes);
    }

    @Override
    public Subscriber connectSubscriber(Setup setup, Inbox inbox) throws Exception {
        MqttConnection connection = new MqttConnection(setup, (topic, message) -> inbox.deliver(message.getPayload(), message.isDuplicate()), inbox::reportFault);
        connection.subscribe(setup.topic());
        return connection::close;
    }

    @Override
    public boolean supportsRequests() {
        return true;
    }

    @Override
    public Publisher connectRequester(Setup setup, Outcomes outcomes) throws Exception {
        return MqttRequester.connect(setup, outcomes);
    }

    @Override
    public Subscriber connectResponder(Setup setup, Responder responder) throws Exception {
        return MqttResponder.connect(setup, responder);
    }

    /** Throws a fatal fault if the server grants another qos than the setup's. */
    static void subscribe(Setup setup, MqttAsyncClient client, String topic, long withinMs) throws Fault {
        int qos = Integer.parseInt(setup.qos());
        try {
            IMqttToken token = client.subscribe(topic, qos);
            token.waitForCompletion(withinMs);
            int granted = token.getGrantedQos()[0];
            if (granted != qos) {
                throw Fault.fatal("subscribe " + topic, "requested qos " + qos + ", the server granted " + granted);
            }
        } catch (MqttException e) {
            throw connectFault(setup, e);
        }
    }

    static MqttAsyncClient connect(Setup setup, MqttCallback callback) throws Fault {
        try {
            MqttAsyncClient client = new MqttAsyncClient(buildUri(setup), setup.client(), new MemoryPersistence());
            client.setCallback(callback);
            MqttConnectOptions options = new MqttConnectOptions();
            options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
            options.setCleanSession(setup.getBoolean("clean"));
            options.setKeepAliveInterval(setup.getInt("keep_alive_s", 0));
            options.setMaxInflight(setup.getInt("inflight", 1));
            options.setConnectionTimeout((int) Math.max(1, setup.timeoutMs() / 1000));
            Credentials.of(setup).ifPresent(credentials -> {
                options.setUserName(credentials.user());
                options.setPassword(credentials.password().toCharArray());
            });
            switch (setup.getText("transport")) {
                case "tcp" -> options.setSocketFactory(new PeerSocketFactory(setup.getBoolean("tcp_nodelay")));
                case "tls", "wss" -> options.setSocketFactory(Tls.createContext(setup.getText("authority")).getSocketFactory());
                default -> { }
            }
            client.connect(options).waitForCompletion(setup.timeoutMs());
            return client;
        } catch (MqttException e) {
            throw connectFault(setup, e);
        }
    }

    private static String buildUri(Setup setup) throws Fault {
        return switch (setup.getText("transport")) {
            case "tcp" -> "tcp://" + setup.server();
            case "ws" -> "ws://" + setup.server() + "/mqtt";
            case "tls" -> "ssl://" + setup.server();
            case "wss" -> "wss://" + setup.server() + "/mqtt";
            default -> throw Fault.fatal(
                    "option transport", "\"" + setup.getText("transport") + "\" is not one of tcp, tls, ws, wss");
        };
    }

    private static Fault connectFault(Setup setup, MqttException error) {
        return error.getReasonCode() == MqttException.REASON_CODE_CLIENT_TIMEOUT
                ? setup.timeoutFault()
                : setup.refusedFault(error);
    }

    static void close(MqttAsyncClient client) throws MqttException {
        client.disconnect(QUIESCE_MS).waitForCompletion(CLOSE_TIMEOUT_MS);
    }

    private record Sender(MqttConnection connection, Setup setup, boolean isRetained, Outcomes outcomes) implements Publisher {
        @Override
        public void send(long seq, byte[] message) throws Exception {
            connection.publish(setup.topic(), message, isRetained, isAccepted -> {
                if (!setup.qos().equals("0")) {
                    record(seq, isAccepted);
                }
            });
        }

        private void record(long seq, boolean isAccepted) {
            if (isAccepted) {
                outcomes.recordAcknowledged(seq);
            } else {
                outcomes.recordFailed(seq);
            }
        }

        @Override
        public void flush() throws Exception {
            connection.flush();
        }

        @Override
        public void close() throws Exception {
            connection.close();
        }
    }
}
