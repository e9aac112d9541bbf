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
    /** 268,435,455 B after the first bytes (MQTT 3.1.1, 2.2.3); 64 KiB + 4 B of that may be topic and packet id. */
    private static final long MAX_MESSAGE = 268_435_455 - 65_539;
    private static final long FAREWELL_MS = 500;
    private static final long QUIESCE_MS = 20;

    @Override
    public Described describe() {
        Map<String, String> options = new TreeMap<>(Map.of("authority", "", "clean", "true", "connection", "kept", "inflight", "1000",
                "keep_alive_s", "60", "reports", "answered", "retain", "false", "tcp_nodelay", "true", "transport", "tcp"));
        options.putAll(Map.of("password", "", "user", ""));
        return new Described("mqtt-paho", "mqtt", "paho", Versions.of("org.eclipse.paho.client.mqttv3"),
                List.of(new Level("0", "at-most-once", false), new Level("1", "at-least-once", true),
                        new Level("2", "exactly-once", true)),
                true, MAX_MESSAGE, List.of("mqtt"), options);
    }

    @Override
    public Publisher publisher(Setup setup, Outcomes outcomes) throws Exception {
        boolean isRetained = setup.flag("retain");
        MqttLine line = new MqttLine(setup, (topic, message) -> { }, outcomes::fault);
        return new Sender(line, setup, isRetained, outcomes);
    }

    @Override
    public Subscriber subscriber(Setup setup, Inbox inbox) throws Exception {
        MqttLine line = new MqttLine(setup, (topic, message) -> inbox.deliver(message.getPayload(), message.isDuplicate()), inbox::fault);
        line.subscribe(setup.topic());
        return line::close;
    }

    @Override
    public boolean answers() {
        return true;
    }

    @Override
    public Publisher requester(Setup setup, Outcomes outcomes) throws Exception {
        return MqttAsking.requester(setup, outcomes);
    }

    @Override
    public Subscriber responder(Setup setup, Desk desk) throws Exception {
        return MqttAsking.responder(setup, desk);
    }

    /** Throws a fatal fault where another qos is granted than the setup's. */
    static void subscribe(Setup setup, MqttAsyncClient client, String topic, long withinMs) throws Fault {
        int qos = Integer.parseInt(setup.qos());
        try {
            IMqttToken token = client.subscribe(topic, qos);
            token.waitForCompletion(withinMs);
            int granted = token.getGrantedQos()[0];
            if (granted != qos) {
                throw Fault.fatal("subscribe " + topic, "asked for qos " + qos + ", the server granted " + granted);
            }
        } catch (MqttException e) {
            throw failed(setup, e);
        }
    }

    static MqttAsyncClient connect(Setup setup, MqttCallback callback) throws Fault {
        try {
            MqttAsyncClient client = new MqttAsyncClient(uri(setup), setup.client(), new MemoryPersistence());
            client.setCallback(callback);
            MqttConnectOptions options = new MqttConnectOptions();
            options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
            options.setCleanSession(setup.flag("clean"));
            options.setKeepAliveInterval(setup.number("keep_alive_s", 0));
            options.setMaxInflight(setup.number("inflight", 1));
            options.setConnectionTimeout((int) Math.max(1, setup.timeoutMs() / 1000));
            Login.of(setup).ifPresent(login -> {
                options.setUserName(login.user());
                options.setPassword(login.password().toCharArray());
            });
            switch (setup.text("transport")) {
                case "tcp" -> options.setSocketFactory(new Sockets(setup.flag("tcp_nodelay")));
                case "tls", "wss" -> options.setSocketFactory(Tls.trusting(setup.text("authority")).getSocketFactory());
                default -> { }
            }
            client.connect(options).waitForCompletion(setup.timeoutMs());
            return client;
        } catch (MqttException e) {
            throw failed(setup, e);
        }
    }

    private static String uri(Setup setup) throws Fault {
        return switch (setup.text("transport")) {
            case "tcp" -> "tcp://" + setup.server();
            case "ws" -> "ws://" + setup.server() + "/mqtt";
            case "tls" -> "ssl://" + setup.server();
            case "wss" -> "wss://" + setup.server() + "/mqtt";
            default -> throw Fault.fatal(
                    "option transport", "\"" + setup.text("transport") + "\" is none of tcp, tls, ws, wss");
        };
    }

    private static Fault failed(Setup setup, MqttException error) {
        return error.getReasonCode() == MqttException.REASON_CODE_CLIENT_TIMEOUT
                ? setup.timedOut()
                : setup.refused(error);
    }

    static void close(MqttAsyncClient client) throws MqttException {
        client.disconnect(QUIESCE_MS).waitForCompletion(FAREWELL_MS);
    }

    private record Sender(MqttLine line, Setup setup, boolean isRetained, Outcomes outcomes) implements Publisher {
        @Override
        public void send(long seq, byte[] message) throws Exception {
            line.publish(setup.topic(), message, isRetained, isTaken -> {
                if (!setup.qos().equals("0")) {
                    tell(seq, isTaken);
                }
            });
        }

        private void tell(long seq, boolean isTaken) {
            if (isTaken) {
                outcomes.acknowledged(seq);
            } else {
                outcomes.failed(seq);
            }
        }

        @Override
        public void flush() throws Exception {
            line.flush();
        }

        @Override
        public void close() throws Exception {
            line.close();
        }
    }
}
