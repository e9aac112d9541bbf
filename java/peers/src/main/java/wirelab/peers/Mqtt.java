package wirelab.peers;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.client.mqttv3.IMqttActionListener;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.IMqttToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/** MQTT 3.1.1 through Eclipse Paho's asynchronous client. */
final class Mqtt implements Protocol {
    /** 268,435,455 B after the first bytes (MQTT 3.1.1, 2.2.3); 64 KiB + 4 B of that may be topic and packet id. */
    private static final long MAX_MESSAGE = 268_435_455 - 65_539;
    private static final long FAREWELL_MS = 500;
    private static final long QUIESCE_MS = 20;

    @Override
    public Described describe() {
        return new Described("mqtt-paho", "mqtt", "paho", Versions.of("org.eclipse.paho.client.mqttv3"),
                List.of(new Level("0", "at-most-once", false), new Level("1", "at-least-once", true),
                        new Level("2", "exactly-once", true)),
                true, MAX_MESSAGE, List.of("mqtt"),
                Map.of("authority", "", "clean", "true", "inflight", "1000", "keep_alive_s", "60", "retain", "false", "tcp_nodelay",
                        "true", "transport", "tcp"));
    }

    @Override
    public Publisher publisher(Setup setup, Outcomes outcomes) throws Exception {
        return new Sender(setup, outcomes);
    }

    @Override
    public Subscriber subscriber(Setup setup, Inbox inbox) throws Exception {
        int qos = Integer.parseInt(setup.qos());
        long deadline = System.nanoTime() + setup.timeoutMs() * 1_000_000;
        MqttAsyncClient client = connect(setup, new Listener() {
            @Override
            public void connectionLost(Throwable cause) {
                inbox.fault(setup.broken(cause));
            }

            @Override
            public void messageArrived(String topic, MqttMessage message) {
                inbox.deliver(message.getPayload(), message.isDuplicate());
            }
        });
        try {
            IMqttToken token = client.subscribe(setup.topic(), qos);
            token.waitForCompletion(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            int granted = token.getGrantedQos()[0];
            if (granted != qos) {
                throw Fault.fatal("subscribe " + setup.topic(), "asked for qos " + qos + ", the server granted " + granted);
            }
        } catch (MqttException e) {
            throw failed(setup, e);
        }
        return () -> close(client);
    }

    private static MqttAsyncClient connect(Setup setup, MqttCallback callback) throws Fault {
        try {
            MqttAsyncClient client = new MqttAsyncClient(uri(setup), setup.client(), new MemoryPersistence());
            client.setCallback(callback);
            MqttConnectOptions options = new MqttConnectOptions();
            options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
            options.setCleanSession(setup.flag("clean"));
            options.setKeepAliveInterval(setup.number("keep_alive_s", 0));
            options.setMaxInflight(setup.number("inflight", 1));
            options.setConnectionTimeout((int) Math.max(1, setup.timeoutMs() / 1000));
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

    private static void close(MqttAsyncClient client) throws MqttException {
        client.disconnect(QUIESCE_MS).waitForCompletion(FAREWELL_MS);
    }

    /** The library's callbacks of which a side needs some. */
    private abstract static class Listener implements MqttCallback {
        @Override
        public void messageArrived(String topic, MqttMessage message) {}

        @Override
        public void deliveryComplete(IMqttDeliveryToken token) {}
    }

    /** Publishes; as many messages are on their way at once as the library is told to allow. */
    private static final class Sender implements Publisher {
        private final MqttAsyncClient client;
        private final Setup setup;
        private final int qos;
        private final boolean isRetained;
        private final int most;
        private final Semaphore free;
        private final Outcomes outcomes;
        private volatile boolean isBroken;

        private Sender(Setup setup, Outcomes outcomes) throws Fault {
            this.setup = setup;
            this.outcomes = outcomes;
            qos = Integer.parseInt(setup.qos());
            isRetained = setup.flag("retain");
            most = setup.number("inflight", 1);
            free = new Semaphore(most);
            client = connect(setup, new Listener() {
                @Override
                public void connectionLost(Throwable cause) {
                    isBroken = true;
                    outcomes.fault(setup.broken(cause));
                }
            });
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            take(1);
            try {
                client.publish(setup.topic(), message, qos, isRetained, null, new Fate(seq));
            } catch (MqttException e) {
                // What became of the connection is told by its own callback.
                if (!isBroken && client.isConnected()) {
                    throw Fault.fatal("publish to " + setup.server(), e);
                }
            }
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
            Mqtt.close(client);
        }

        /** At qos 0 a message is done when it is written; else when it is acknowledged. */
        private final class Fate implements IMqttActionListener {
            private final long seq;

            private Fate(long seq) {
                this.seq = seq;
            }

            @Override
            public void onSuccess(IMqttToken token) {
                if (qos > 0) {
                    outcomes.acknowledged(seq);
                }
                free.release();
            }

            @Override
            public void onFailure(IMqttToken token, Throwable cause) {
                if (!isBroken && qos > 0) {
                    outcomes.failed(seq);
                }
                free.release();
            }
        }
    }
}
