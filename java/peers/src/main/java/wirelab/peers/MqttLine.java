package wirelab.peers;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.eclipse.paho.client.mqttv3.IMqttActionListener;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.IMqttToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;

/** One connection through Paho; as many of its messages are on their way at once as the library is told to allow. */
final class MqttLine implements MqttCallback, AutoCloseable {
    private final Setup setup;
    private final BiConsumer<String, MqttMessage> arrivals;
    private final Consumer<Fault> faults;
    private final int qos;
    private final int most;
    private final Semaphore free;
    private final long deadline;
    private final MqttAsyncClient client;
    private volatile boolean isBroken;

    /** What becomes of a message: taken when it is written at qos 0, else when it is acknowledged. */
    @FunctionalInterface
    interface Fate {
        void over(boolean isTaken);
    }

    /** Connect. `arrivals` are topics and messages. */
    MqttLine(Setup setup, BiConsumer<String, MqttMessage> arrivals, Consumer<Fault> faults) throws Fault {
        this.setup = setup;
        this.arrivals = arrivals;
        this.faults = faults;
        qos = Integer.parseInt(setup.qos());
        most = setup.number("inflight", 1);
        free = new Semaphore(most);
        deadline = System.nanoTime() + setup.timeoutMs() * 1_000_000;
        client = Mqtt.connect(setup, this);
    }

    /** Subscribe, and wait until it is granted as asked. */
    void subscribe(String topic) throws Fault {
        Mqtt.subscribe(setup, client, topic, Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
    }

    /** Hand a message to the library; waits while it is full. */
    void publish(String topic, byte[] message, boolean isRetained, Fate fate) throws Exception {
        take(1);
        try {
            client.publish(topic, message, qos, isRetained, null, new Told(fate));
        } catch (MqttException e) {
            // What became of the connection is told by its own callback.
            if (!isBroken && client.isConnected()) {
                throw Fault.fatal("publish to " + setup.server(), e);
            }
        }
    }

    /** Until the fate of every message is known. */
    void flush() throws InterruptedException {
        take(most);
    }

    @Override
    public void close() throws MqttException {
        Mqtt.close(client);
    }

    private void take(int permits) throws InterruptedException {
        while (!isBroken && !free.tryAcquire(permits, 50, TimeUnit.MILLISECONDS)) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void connectionLost(Throwable cause) {
        isBroken = true;
        faults.accept(setup.broken(cause));
    }

    @Override
    public void messageArrived(String topic, MqttMessage message) {
        arrivals.accept(topic, message);
    }

    @Override
    public void deliveryComplete(IMqttDeliveryToken token) {}

    private final class Told implements IMqttActionListener {
        private final Fate fate;

        private Told(Fate fate) {
            this.fate = fate;
        }

        @Override
        public void onSuccess(IMqttToken token) {
            fate.over(true);
            free.release();
        }

        @Override
        public void onFailure(IMqttToken token, Throwable cause) {
            if (!isBroken) {
                fate.over(false);
            }
            free.release();
        }
    }
}
