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

/**
 * One connection through Paho. The option `inflight` limits the number of unacknowledged messages.
 */
final class MqttConnection implements MqttCallback, AutoCloseable {
    private final Setup setup;
    private final BiConsumer<String, MqttMessage> arrivals;
    private final Consumer<Fault> faults;
    private final int qos;
    private final int inflight;
    private final Semaphore free;
    private final long deadline;
    private final MqttAsyncClient client;
    private volatile boolean isBroken;

    /**
     * Receives the outcome of a message: accepted once written (qos 0) or acknowledged (qos 1, 2).
     */
    @FunctionalInterface
    interface Completion {
        void complete(boolean isAccepted);
    }

    /** Connect. `arrivals` receives topics and messages. */
    MqttConnection(Setup setup, BiConsumer<String, MqttMessage> arrivals, Consumer<Fault> faults) throws Fault {
        this.setup = setup;
        this.arrivals = arrivals;
        this.faults = faults;
        qos = Integer.parseInt(setup.qos());
        inflight = setup.getInt("inflight", 1);
        free = new Semaphore(inflight);
        deadline = System.nanoTime() + setup.timeoutMs() * 1_000_000;
        client = Mqtt.connect(setup, this);
    }

    /** Subscribe and wait until the server has granted the setup's qos. */
    void subscribe(String topic) throws Fault {
        Mqtt.subscribe(setup, client, topic, Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
    }

    /** Hand a message to the library. Blocks while `inflight` messages are unacknowledged. */
    void publish(String topic, byte[] message, boolean isRetained, Completion completion) throws Exception {
        acquire(1);
        try {
            client.publish(topic, message, qos, isRetained, null, new Listener(completion));
        } catch (MqttException e) {
            // connectionLost reports a lost connection.
            if (!isBroken && client.isConnected()) {
                throw Fault.fatal("publish to " + setup.server(), e);
            }
        }
    }

    /** Block until the outcome of every message is known. */
    void flush() throws InterruptedException {
        acquire(inflight);
    }

    @Override
    public void close() throws MqttException {
        Mqtt.close(client);
    }

    private void acquire(int permits) throws InterruptedException {
        while (!isBroken && !free.tryAcquire(permits, 50, TimeUnit.MILLISECONDS)) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void connectionLost(Throwable cause) {
        isBroken = true;
        faults.accept(setup.brokenFault(cause));
    }

    @Override
    public void messageArrived(String topic, MqttMessage message) {
        arrivals.accept(topic, message);
    }

    @Override
    public void deliveryComplete(IMqttDeliveryToken token) {}

    private final class Listener implements IMqttActionListener {
        private final Completion completion;

        private Listener(Completion completion) {
            this.completion = completion;
        }

        @Override
        public void onSuccess(IMqttToken token) {
            completion.complete(true);
            free.release();
        }

        @Override
        public void onFailure(IMqttToken token, Throwable cause) {
            if (!isBroken) {
                completion.complete(false);
            }
            free.release();
        }
    }
}
