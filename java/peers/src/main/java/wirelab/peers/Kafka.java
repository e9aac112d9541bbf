package wirelab.peers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka through its own Java client: one partition, read from its end on, without a group. */
final class Kafka implements Protocol {
    /** What the server is set to take; see docs/reference/protocols/kafka.md. */
    private static final int MAX_MESSAGE = 64 << 20;
    private static final int ROOM = 65_536;
    private static final int PARTITION = 0;
    /** A link may stand still for longer than the library's own patience of half a minute. */
    private static final int PATIENCE_MS = 300_000;
    private static final long LOOK_MS = 50;
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration FAREWELL = Duration.ofMillis(300);

    @Override
    public Described describe() {
        return new Described("kafka-java", "kafka", "kafka-clients", Versions.of("kafka-clients"),
                List.of(new Level("0", "at-most-once", false), new Level("1", "at-least-once", true),
                        new Level("all", "at-least-once", true)),
                true, MAX_MESSAGE, List.of("kafka"),
                Map.of("authority", "", "batch_bytes", "16384", "compression", "none", "fetch_wait_ms", "500",
                        "idempotence", "false", "inflight", "5", "linger_ms", "5", "transport", "tcp"));
    }

    @Override
    public Publisher publisher(Setup setup, Outcomes outcomes) throws Exception {
        Map<String, Object> config = common(setup);
        config.put(ProducerConfig.ACKS_CONFIG, setup.qos());
        config.put(ProducerConfig.LINGER_MS_CONFIG, setup.number("linger_ms", 0));
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, setup.number("batch_bytes", 0));
        config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, setup.text("compression"));
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, setup.flag("idempotence"));
        config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, setup.number("inflight", 1));
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_MESSAGE + ROOM);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, (long) MAX_MESSAGE + ROOM);
        // `send` waits for room as long as it takes.
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.MAX_VALUE);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 2 * PATIENCE_MS);
        return setup.within(() -> {
            knock(setup);
            KafkaProducer<byte[], byte[]> producer = made(
                    () -> new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()));
            producer.partitionsFor(topic(setup));
            Closed closed = new Closed(producer.metrics());
            daemon("watch", () -> closed.watch(setup, outcomes::fault));
            return new Sender(setup, outcomes, producer, closed);
        });
    }

    @Override
    public Subscriber subscriber(Setup setup, Inbox inbox) throws Exception {
        Map<String, Object> config = common(setup);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, setup.number("fetch_wait_ms", 0));
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 2 * PATIENCE_MS);
        return setup.within(() -> {
            knock(setup);
            KafkaConsumer<byte[], byte[]> consumer = made(
                    () -> new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
            // The first to ask has the topic made.
            while (consumer.partitionsFor(topic(setup)).isEmpty()) {
                Thread.sleep(LOOK_MS);
            }
            TopicPartition place = new TopicPartition(topic(setup), PARTITION);
            consumer.assign(List.of(place));
            consumer.seek(place, consumer.endOffsets(List.of(place)).get(place));
            Receiver receiver = new Receiver(setup, inbox, consumer);
            daemon("receive", receiver);
            return receiver;
        });
    }

    private static Map<String, Object> common(Setup setup) throws Fault {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, setup.server());
        config.put(ProducerConfig.CLIENT_ID_CONFIG, setup.client());
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MS);
        // Connections are never idle for too long: one that closes has broken.
        config.put(ProducerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG, -1L);
        if (setup.isOther("transport", "tcp", "tls")) {
            // The library checks that the certificate names the server unless it is told not to.
            config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SSL");
            config.put(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG, "TLSv1.3");
            config.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
            config.put(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, setup.text("authority"));
        }
        return config;
    }

    /** The library tries a refused connection again for ever and tells nobody. */
    private static void knock(Setup setup) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(setup.address(), setup.port()), (int) setup.timeoutMs());
        }
    }

    private static <T> T made(Supplier<T> maker) throws Fault {
        try {
            return maker.get();
        } catch (ConfigException e) {
            throw Fault.fatal("options", e);
        } catch (KafkaException e) {
            throw Fault.fatal(e.getCause() instanceof ConfigException ? "options" : "kafka-clients", e);
        }
    }

    /** The topic's name: Kafka knows no separators but dots. */
    private static String topic(Setup setup) {
        return setup.topic().replaceAll("[^A-Za-z0-9]", ".");
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Connections of a client that were closed: the library counts them, and connects again without a word. */
    private static final class Closed {
        private final Metric count;
        private final double before;
        private volatile boolean isLeaving;

        private Closed(Map<MetricName, ? extends Metric> metrics) {
            count = metrics.values().stream()
                    .filter(one -> one.metricName().name().equals("connection-close-total")
                            && !one.metricName().tags().containsKey("node-id"))
                    .findFirst().orElseThrow();
            before = value();
        }

        private double value() {
            return (double) count.metricValue();
        }

        private boolean isBroken() {
            return value() > before;
        }

        private void leave() {
            isLeaving = true;
        }

        /** Until the client leaves or its connection breaks. */
        private void watch(Setup setup, Consumer<Fault> faults) {
            while (!isLeaving) {
                if (isBroken()) {
                    faults.accept(setup.broken(new IOException("the server closed the connection")));
                    return;
                }
                try {
                    Thread.sleep(LOOK_MS);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    private static final class Sender implements Publisher {
        private final String topic;
        private final boolean acknowledges;
        private final Outcomes outcomes;
        private final KafkaProducer<byte[], byte[]> producer;
        private final Closed closed;

        private Sender(Setup setup, Outcomes outcomes, KafkaProducer<byte[], byte[]> producer, Closed closed) {
            this.topic = topic(setup);
            this.acknowledges = !setup.qos().equals("0");
            this.outcomes = outcomes;
            this.producer = producer;
            this.closed = closed;
        }

        @Override
        public void send(long seq, byte[] message) {
            producer.send(new ProducerRecord<>(topic, PARTITION, null, message), (metadata, error) -> {
                if (error != null) {
                    if (!closed.isLeaving) {
                        System.err.println("message " + seq + ": " + error);
                        outcomes.failed(seq);
                    }
                } else if (acknowledges) {
                    outcomes.acknowledged(seq);
                }
            });
        }

        @Override
        public void flush() {
            producer.flush();
        }

        @Override
        public void close() {
            closed.leave();
            producer.close(FAREWELL);
        }
    }

    private static final class Receiver implements Subscriber, Runnable {
        private final Setup setup;
        private final Inbox inbox;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final Closed closed;
        private final CountDownLatch left = new CountDownLatch(1);

        private Receiver(Setup setup, Inbox inbox, KafkaConsumer<byte[], byte[]> consumer) {
            this.setup = setup;
            this.inbox = inbox;
            this.consumer = consumer;
            closed = new Closed(consumer.metrics());
        }

        @Override
        public void run() {
            try {
                while (!closed.isLeaving) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        inbox.deliver(record.value(), false);
                    }
                    if (closed.isBroken()) {
                        inbox.fault(setup.broken(new IOException("the server closed the connection")));
                        return;
                    }
                }
            } catch (WakeupException | InterruptException e) {
                // It leaves.
            } catch (KafkaException e) {
                inbox.fault(setup.broken(e));
            } finally {
                closed.leave();
                left.countDown();
            }
        }

        @Override
        public void close() throws InterruptedException {
            closed.leave();
            consumer.wakeup();
            // What is being delivered is recorded and counted, or neither.
            left.await(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
