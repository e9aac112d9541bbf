package wirelab.actors;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CyclicBarrier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import wirelab.codecs.Codec;
import wirelab.codecs.Corpus;
import wirelab.codecs.Output;
import wirelab.codecs.Checksum;

/**
 * Three threads that communicate through Kafka (maltsev2024, VII and Fig. 1). A serializes and
 * sends without pauses. B deserializes to native objects, serializes them and forwards them. C
 * deserializes. The lag of a message is the time from A's start of its serialization until C has
 * read every field. The Kafka clients have default settings.
 */
final class Actors<M> {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Corpus<M> corpus;
    private final String codec;
    private final String server;
    private final String prefix;
    private final long[] checksums;
    private final CyclicBarrier barrier = new CyclicBarrier(4);

    Actors(Corpus<M> corpus, String codec, String server, String prefix) throws Exception {
        this.corpus = corpus;
        this.codec = codec;
        this.server = server;
        this.prefix = prefix;
        checksums = computeChecksums(corpus.open(codec));
    }

    private interface Task {
        void run() throws Exception;
    }

    /** Called after each epoch. */
    interface EpochListener {
        void finished(Epoch epoch, long elapsedNs) throws Exception;
    }

    /**
     * Run the epochs in sequence. An epoch starts when C has received all messages of the previous
     * one.
     */
    void run(List<Epoch> epochs, EpochListener listener) throws Exception {
        start("A", () -> send(epochs));
        start("B", () -> forward(epochs));
        start("C", () -> receive(epochs));
        for (Epoch epoch : epochs) {
            barrier.await();
            long began = System.nanoTime();
            barrier.await();
            listener.finished(epoch, System.nanoTime() - began);
        }
    }

    private static void start(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                // End the process: the other threads would wait for this one for ever.
                System.err.println("actor " + name + ": " + e);
                Runtime.getRuntime().halt(1);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void send(List<Epoch> epochs) throws Exception {
        Codec<M, ?> opened = corpus.open(codec);
        Output out = new Output();
        try (KafkaProducer<byte[], byte[]> producer = createProducer()) {
            for (Epoch epoch : epochs) {
                TopicPartition to = epoch.fromAToB(prefix);
                producer.partitionsFor(to.topic());
                barrier.await();
                for (int i = 0; i < epoch.count(); i++) {
                    epoch.sent().setRelease(i, System.nanoTime());
                    send(producer, to, serialize(opened, corpus.messages().get(epoch.index(i)), out));
                }
                producer.flush();
                barrier.await();
            }
        }
    }

    private void forward(List<Epoch> epochs) throws Exception {
        Codec<M, ?> opened = corpus.open(codec);
        Output out = new Output();
        try (KafkaConsumer<byte[], byte[]> consumer = createConsumer();
                KafkaProducer<byte[], byte[]> producer = createProducer()) {
            for (Epoch epoch : epochs) {
                TopicPartition to = epoch.fromBToC(prefix);
                producer.partitionsFor(to.topic());
                assign(consumer, epoch.fromAToB(prefix));
                barrier.await();
                for (int done = 0; done < epoch.count(); ) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        send(producer, to, serialize(opened, opened.convert(record.value()), out));
                        done++;
                    }
                }
                producer.flush();
                barrier.await();
            }
        }
    }

    private void receive(List<Epoch> epochs) throws Exception {
        Codec<M, ?> opened = corpus.open(codec);
        try (KafkaConsumer<byte[], byte[]> consumer = createConsumer()) {
            for (Epoch epoch : epochs) {
                assign(consumer, epoch.fromBToC(prefix));
                barrier.await();
                for (int i = 0; i < epoch.count(); ) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        if (computeChecksum(opened, record.value()) != checksums[epoch.index(i)]) {
                            throw new IllegalStateException("message " + i + " differs from the message that A sent");
                        }
                        epoch.lags()[i] = System.nanoTime() - epoch.sent().getAcquire(i);
                        i++;
                    }
                }
                barrier.await();
            }
        }
    }

    /** Read a partition from its beginning. */
    private static void assign(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        consumer.position(partition);
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, TopicPartition to, byte[] message) {
        producer.send(new ProducerRecord<>(to.topic(), to.partition(), null, message), (metadata, error) -> {
            if (error != null) {
                System.err.println("send: " + error);
                Runtime.getRuntime().halt(1);
            }
        });
    }

    private byte[] serialize(Codec<M, ?> opened, M message, Output out) throws Exception {
        out.clear();
        opened.serialize(message, out);
        return out.copy();
    }

    private static long computeChecksum(Codec<?, ?> opened, byte[] message) throws Exception {
        Checksum checksum = new Checksum();
        opened.decode(message, checksum);
        return checksum.value();
    }

    private long[] computeChecksums(Codec<M, ?> opened) throws Exception {
        List<Long> computed = new ArrayList<>();
        for (M message : corpus.messages()) {
            computed.add(computeChecksum(opened, serialize(opened, message, new Output())));
        }
        return computed.stream().mapToLong(Long::longValue).toArray();
    }

    private KafkaProducer<byte[], byte[]> createProducer() {
        return new KafkaProducer<>(createConfig(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private KafkaConsumer<byte[], byte[]> createConsumer() {
        return new KafkaConsumer<>(createConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private Properties createConfig() {
        Properties config = new Properties();
        config.put("bootstrap.servers", server);
        return config;
    }
}
