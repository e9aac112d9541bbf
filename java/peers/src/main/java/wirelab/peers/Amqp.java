package wirelab.peers;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** AMQP 0-9-1 through RabbitMQ's own Java client. */
final class Amqp implements Protocol {
    /** Default limit of RabbitMQ since 3.8. */
    private static final long MAX_MESSAGE = 134_217_728;
    /** The predeclared direct exchange, which routes by equal keys (AMQP 0-9-1, 3.1.3.1). */
    private static final String EXCHANGE = "amq.direct";
    private static final int CLOSE_TIMEOUT_MS = 500;
    private static final int PERSISTENT = 2;

    /**
     * `confirms`: the broker acknowledges to the publisher. `acknowledges`: the subscriber
     * acknowledges to the broker.
     */
    private record Level(boolean confirms, boolean acknowledges, boolean persistent) {
        static Level of(String qos) {
            boolean persistent = qos.equals("persistent");
            return new Level(persistent || qos.equals("confirm"), !qos.equals("auto"), persistent);
        }
    }

    @Override
    public Described describe() {
        return new Described("amqp-rabbitmq-java", "amqp", "rabbitmq-java", LibraryVersions.find("amqp-client"),
                List.of(new Protocol.Level("auto", "at-most-once", false),
                        new Protocol.Level("manual", "at-most-once", false),
                        new Protocol.Level("confirm", "at-least-once", true),
                        new Protocol.Level("persistent", "at-least-once", true)),
                true, MAX_MESSAGE, List.of("amqp"),
                Map.of("authority", "", "heartbeat_s", "60", "inflight", "1000", "password", "guest", "prefetch", "0",
                        "transport", "tcp", "user", "guest", "vhost", "/"));
    }

    @Override
    public Publisher connectPublisher(Setup setup, Outcomes outcomes) throws Exception {
        int inflight = setup.getInt("inflight", 1);
        return setup.runWithinTimeout(() -> new Sender(setup, outcomes, inflight));
    }

    @Override
    public Subscriber connectSubscriber(Setup setup, Inbox inbox) throws Exception {
        Level level = Level.of(setup.qos());
        int prefetch = setup.getInt("prefetch", 0);
        return setup.runWithinTimeout(() -> {
            Connection connection = connect(setup, inbox::reportFault);
            Channel channel = connection.createChannel();
            String queue = channel.queueDeclare("", level.persistent(), true, false, null).getQueue();
            channel.queueBind(queue, EXCHANGE, setup.topic());
            channel.basicQos(prefetch);
            channel.basicConsume(queue, !level.acknowledges(), new DefaultConsumer(channel) {
                @Override
                public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
                    inbox.deliver(body, envelope.isRedeliver());
                    if (level.acknowledges()) {
                        acknowledge(channel, envelope, setup, inbox);
                    }
                }

                @Override
                public void handleCancel(String tag) {
                    inbox.reportFault(Fault.fatal("connection to " + setup.server(), "the server cancelled the subscription"));
                }
            });
            return () -> connection.abort(CLOSE_TIMEOUT_MS);
        });
    }

    /**
     * Does not throw: an exception makes the library close the channel and wait for an answer. If
     * the server is gone, that wait never ends, because the library's reader waits for this
     * consumer.
     */
    private static void acknowledge(Channel channel, Envelope envelope, Setup setup, Inbox inbox) {
        try {
            channel.basicAck(envelope.getDeliveryTag(), false);
        } catch (IOException | ShutdownSignalException e) {
            inbox.reportFault(setup.brokenFault(e));
        }
    }

    private static Connection connect(Setup setup, Consumer<Fault> faults) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(setup.address());
        factory.setPort(setup.port());
        factory.setUsername(setup.getText("user"));
        factory.setPassword(setup.getText("password"));
        factory.setVirtualHost(setup.getText("vhost"));
        factory.setRequestedHeartbeat(setup.getInt("heartbeat_s", 0));
        factory.setAutomaticRecoveryEnabled(false);
        factory.setConnectionTimeout((int) setup.timeoutMs());
        factory.setHandshakeTimeout((int) setup.timeoutMs());
        switch (setup.getText("transport")) {
            case "tcp" -> { }
            case "tls" -> {
                factory.useSslProtocol(Tls.createContext(setup.getText("authority")));
                factory.enableHostnameVerification();
            }
            default -> throw Fault.fatal("option transport", "\"" + setup.getText("transport") + "\" is neither tcp nor tls");
        }
        Connection connection = factory.newConnection(setup.client());
        connection.addShutdownListener((ShutdownSignalException cause) -> {
            if (!cause.isInitiatedByApplication()) {
                faults.accept(setup.brokenFault(cause));
            }
        });
        return connection;
    }

    private static final class Sender implements Publisher, ConfirmListener {
        private final Setup setup;
        private final Outcomes outcomes;
        private final Connection connection;
        private final Channel channel;
        private final boolean confirms;
        private final BasicProperties properties;
        private final Semaphore free;
        private final ConcurrentSkipListSet<Long> pending = new ConcurrentSkipListSet<>();
        private final AtomicLong returned = new AtomicLong();

        private Sender(Setup setup, Outcomes outcomes, int inflight) throws Exception {
            this.setup = setup;
            this.outcomes = outcomes;
            Level level = Level.of(setup.qos());
            confirms = level.confirms();
            free = new Semaphore(inflight);
            properties = new BasicProperties.Builder().deliveryMode(level.persistent() ? PERSISTENT : 1).build();
            connection = connect(setup, outcomes::reportFault);
            channel = connection.createChannel();
            // The broker returns a message that it cannot route; its confirmation follows.
            channel.addReturnListener(message -> returned.incrementAndGet());
            if (confirms) {
                channel.confirmSelect();
                channel.addConfirmListener(this);
            }
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            if (confirms) {
                while (connection.isOpen() && !free.tryAcquire(50, TimeUnit.MILLISECONDS)) {
                    Thread.onSpinWait();
                }
                pending.add(seq);
            }
            try {
                channel.basicPublish(EXCHANGE, setup.topic(), true, properties, message);
            } catch (IOException | ShutdownSignalException e) {
                throw setup.brokenFault(e);
            }
        }

        @Override
        public void handleAck(long tag, boolean isMultiple) {
            settle(tag, isMultiple, true);
        }

        @Override
        public void handleNack(long tag, boolean isMultiple) {
            settle(tag, isMultiple, false);
        }

        /** Tags count from 1 in the order of publishing. */
        private void settle(long tag, boolean isMultiple, boolean isAccepted) {
            long last = tag - 1;
            Iterator<Long> settled = (isMultiple ? pending.headSet(last, true) : pending.subSet(last, true, last, true))
                    .iterator();
            while (settled.hasNext()) {
                long seq = settled.next();
                settled.remove();
                if (isAccepted && returned.get() == 0) {
                    outcomes.recordAcknowledged(seq);
                } else {
                    returned.updateAndGet(count -> Math.max(0, count - 1));
                    outcomes.recordFailed(seq);
                }
                free.release();
            }
        }

        /** Does nothing: the library writes and flushes each message before `send` returns. */
        @Override
        public void flush() {}

        @Override
        public void close() {
            connection.abort(CLOSE_TIMEOUT_MS);
        }
    }
}
