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

/**
 * Kafka through its own Java client: one partition, read from its current end, without a consumer
 * group.
 */
final class Kafka implements Protocol {
    /** The server is configured to accept this size; see docs/reference/protocols/kafka.md. */
    private static final int MAX_MESSAGE = 64 << 20;
    private static final int OVERHEAD_BYTES = 65_536;
    private static final int PARTITION = 0;
    /** A link may be down for longer than the library's default timeout of 30 s. */
    private static final int REQUEST_TIMEOUT_MS = 300_000;
    private static final long CHECK_INTERVAL_MS = 50;
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(300);

    @Override
    public Described describe() {
        return new Described("kafka-java", "kafka", "kafka-clients", LibraryVersions.find("kafka-clients"),
                List.of(new Level("0", "at-most-once", false), new Level("1", "at-least-once", true),
                        new Level("all", "at-least-once", true)),
                true, MAX_MESSAGE, List.of("kafka"),
                Map.of("authority", "", "batch_bytes", "16384", "compression", "none", "fetch_wait_ms", "500",
                        "idempotence", "false", "inflight", "5", "linger_ms", "5", "transport", "tcp"));
    }

    @Override
    public Publisher connectPublisher(Setup setup, Outcomes outcomes) throws Exception {
        Map<String, Object> config = createConfig(setup);
        config.put(ProducerConfig.ACKS_CONFIG, setup.qos());
        config.put(ProducerConfig.LINGER_MS_CONFIG, setup.getInt("linger_ms", 0));
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, setup.getInt("batch_bytes", 0));
        config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, setup.getText("compression"));
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, setup.getBoolean("idempotence"));
        config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, setup.getInt("inflight", 1));
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_MESSAGE + OVERHEAD_BYTES);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, (long) MAX_MESSAGE + OVERHEAD_BYTES);
        // `send` blocks without limit while the buffer is full.
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.MAX_VALUE);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 2 * REQUEST_TIMEOUT_MS);
        return setup.runWithinTimeout(() -> {
            checkReachable(setup);
            KafkaProducer<byte[], byte[]> producer = create(
                    () -> new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()));
            producer.partitionsFor(buildTopic(setup));
            ConnectionMonitor monitor = new ConnectionMonitor(producer.metrics());
            startDaemon("watch", () -> monitor.watch(setup, outcomes::reportFault));
            return new Sender(setup, outcomes, producer, monitor);
        });
    }

    @Override
    public Subscriber connectSubscriber(Setup setup, Inbox inbox) throws Exception {
        Map<String, Object> config = createConfig(setup);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, setup.getInt("fetch_wait_ms", 0));
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 2 * REQUEST_TIMEOUT_MS);
        return setup.runWithinTimeout(() -> {
            checkReachable(setup);
            KafkaConsumer<byte[], byte[]> consumer = create(
                    () -> new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
            // The first metadata request creates the topic.
            while (consumer.partitionsFor(buildTopic(setup)).isEmpty()) {
                Thread.sleep(CHECK_INTERVAL_MS);
            }
            TopicPartition partition = new TopicPartition(buildTopic(setup), PARTITION);
            consumer.assign(List.of(partition));
            consumer.seek(partition, consumer.endOffsets(List.of(partition)).get(partition));
            Receiver receiver = new Receiver(setup, inbox, consumer);
            startDaemon("receive", receiver);
            return receiver;
        });
    }

    private static Map<String, Object> createConfig(Setup setup) throws Fault {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, setup.server());
        config.put(ProducerConfig.CLIENT_ID_CONFIG, setup.client());
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS);
        // Never close idle connections: a closed connection is then always a lost one.
        config.put(ProducerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG, -1L);
        if (setup.isAlternative("transport", "tcp", "tls")) {
            // By default the library checks that the certificate names the server.
            config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SSL");
            config.put(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG, "TLSv1.3");
            config.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
            config.put(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, setup.getText("authority"));
        }
        return config;
    }

    /**
     * Throws if the port refuses: the library retries a refused connection for ever without an
     * error.
     */
    private static void checkReachable(Setup setup) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(setup.address(), setup.port()), (int) setup.timeoutMs());
        }
    }

    private static <T> T create(Supplier<T> constructor) throws Fault {
        try {
            return constructor.get();
        } catch (ConfigException e) {
            throw Fault.fatal("options", e);
        } catch (KafkaException e) {
            throw Fault.fatal(e.getCause() instanceof ConfigException ? "options" : "kafka-clients", e);
        }
    }

    /** The topic's name with dots as separators, the only ones that Kafka allows. */
    private static String buildTopic(Setup setup) {
        return setup.topic().replaceAll("[^A-Za-z0-9]", ".");
    }

    private static void startDaemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Detects closed connections by the library's counter: the library reconnects without reporting
     * them.
     */
    private static final class ConnectionMonitor {
        private final Metric count;
        private final double before;
        private volatile boolean isClosing;

        private ConnectionMonitor(Map<MetricName, ? extends Metric> metrics) {
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

        private void stop() {
            isClosing = true;
        }

        /** Report a lost connection. Returns then, or when the client closes. */
        private void watch(Setup setup, Consumer<Fault> faults) {
            while (!isClosing) {
                if (isBroken()) {
                    faults.accept(setup.brokenFault(new IOException("the server closed the connection")));
                    return;
                }
                try {
                    Thread.sleep(CHECK_INTERVAL_MS);
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
        private final ConnectionMonitor monitor;

        private Sender(Setup setup, Outcomes outcomes, KafkaProducer<byte[], byte[]> producer, ConnectionMonitor monitor) {
            this.topic = buildTopic(setup);
            this.acknowledges = !setup.qos().equals("0");
            this.outcomes = outcomes;
            this.producer = producer;
            this.monitor = monitor;
        }

        @Override
        public void send(long seq, byte[] message) {
            producer.send(new ProducerRecord<>(topic, PARTITION, null, message), (metadata, error) -> {
                if (error != null) {
                    if (!monitor.isClosing) {
                        System.err.println("message " + seq + ": " + error);
                        outcomes.recordFailed(seq);
                    }
                } else if (acknowledges) {
                    outcomes.recordAcknowledged(seq);
                }
            });
        }

        @Override
        public void flush() {
            producer.flush();
        }

        @Override
        public void close() {
            monitor.stop();
            producer.close(CLOSE_TIMEOUT);
        }
    }

    private static final class Receiver implements Subscriber, Runnable {
        private final Setup setup;
        private final Inbox inbox;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final ConnectionMonitor monitor;
        private final CountDownLatch finished = new CountDownLatch(1);

        private Receiver(Setup setup, Inbox inbox, KafkaConsumer<byte[], byte[]> consumer) {
            this.setup = setup;
            this.inbox = inbox;
            this.consumer = consumer;
            monitor = new ConnectionMonitor(consumer.metrics());
        }

        @Override
        public void run() {
            try {
                while (!monitor.isClosing) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        inbox.deliver(record.value(), false);
                    }
                    if (monitor.isBroken()) {
                        inbox.reportFault(setup.brokenFault(new IOException("the server closed the connection")));
                        return;
                    }
                }
            } catch (WakeupException | InterruptException e) {
                // The subscriber is closing.
            } catch (KafkaException e) {
                inbox.reportFault(setup.brokenFault(e));
            } finally {
                monitor.stop();
                finished.countDown();
            }
        }

        @Override
        public void close() throws InterruptedException {
            monitor.stop();
            consumer.wakeup();
            // A message in delivery is either recorded and counted, or neither.
            finished.await(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
