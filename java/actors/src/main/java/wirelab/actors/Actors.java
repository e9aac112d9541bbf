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
 * Three threads with Kafka between them (maltsev2024, VII and Fig. 1): A serializes and sends as fast as it is let, B
 * deserializes to native objects, serializes those and sends them on, C deserializes. A message's lag is from A's turning to it to
 * the end of C's reading of every field. The clients have their library's own settings.
 */
final class Actors<M> {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Corpus<M> corpus;
    private final String codec;
    private final String server;
    private final String prefix;
    private final long[] sums;
    private final CyclicBarrier barrier = new CyclicBarrier(4);

    Actors(Corpus<M> corpus, String codec, String server, String prefix) throws Exception {
        this.corpus = corpus;
        this.codec = codec;
        this.server = server;
        this.prefix = prefix;
        sums = sums(corpus.open(codec));
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Called between epochs. */
    interface Done {
        void epoch(Epoch epoch, long elapsedNs) throws Exception;
    }

    /** Run the epochs one after another: the next when C has all of the one before. */
    void run(List<Epoch> epochs, Done done) throws Exception {
        start("A", () -> send(epochs));
        start("B", () -> handOn(epochs));
        start("C", () -> take(epochs));
        for (Epoch epoch : epochs) {
            barrier.await();
            long began = System.nanoTime();
            barrier.await();
            done.epoch(epoch, System.nanoTime() - began);
        }
    }

    private static void start(String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                // The others would wait for it for ever.
                System.err.println("actor " + name + ": " + e);
                Runtime.getRuntime().halt(1);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void send(List<Epoch> epochs) throws Exception {
        Codec<M, ?> own = corpus.open(codec);
        Output out = new Output();
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            for (Epoch epoch : epochs) {
                TopicPartition to = epoch.handed(prefix);
                producer.partitionsFor(to.topic());
                barrier.await();
                for (int i = 0; i < epoch.count(); i++) {
                    epoch.sent().setRelease(i, System.nanoTime());
                    send(producer, to, serialized(own, corpus.messages().get(epoch.index(i)), out));
                }
                producer.flush();
                barrier.await();
            }
        }
    }

    private void handOn(List<Epoch> epochs) throws Exception {
        Codec<M, ?> own = corpus.open(codec);
        Output out = new Output();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer();
                KafkaProducer<byte[], byte[]> producer = producer()) {
            for (Epoch epoch : epochs) {
                TopicPartition to = epoch.passed(prefix);
                producer.partitionsFor(to.topic());
                place(consumer, epoch.handed(prefix));
                barrier.await();
                for (int done = 0; done < epoch.count(); ) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        send(producer, to, serialized(own, own.convert(record.value()), out));
                        done++;
                    }
                }
                producer.flush();
                barrier.await();
            }
        }
    }

    private void take(List<Epoch> epochs) throws Exception {
        Codec<M, ?> own = corpus.open(codec);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            for (Epoch epoch : epochs) {
                place(consumer, epoch.passed(prefix));
                barrier.await();
                for (int i = 0; i < epoch.count(); ) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        if (sum(own, record.value()) != sums[epoch.index(i)]) {
                            throw new IllegalStateException("message " + i + " is not what A sent");
                        }
                        epoch.lags()[i] = System.nanoTime() - epoch.sent().getAcquire(i);
                        i++;
                    }
                }
                barrier.await();
            }
        }
    }

    private static void place(KafkaConsumer<byte[], byte[]> consumer, TopicPartition at) {
        consumer.assign(List.of(at));
        consumer.seekToBeginning(List.of(at));
        consumer.position(at);
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, TopicPartition to, byte[] message) {
        producer.send(new ProducerRecord<>(to.topic(), to.partition(), null, message), (metadata, error) -> {
            if (error != null) {
                System.err.println("send: " + error);
                Runtime.getRuntime().halt(1);
            }
        });
    }

    private byte[] serialized(Codec<M, ?> own, M message, Output out) throws Exception {
        out.clear();
        own.serialize(message, out);
        return out.copy();
    }

    private static long sum(Codec<?, ?> codec, byte[] message) throws Exception {
        Checksum sum = new Checksum();
        codec.decode(message, sum);
        return sum.value();
    }

    private long[] sums(Codec<M, ?> own) throws Exception {
        List<Long> found = new ArrayList<>();
        for (M message : corpus.messages()) {
            found.add(sum(own, serialized(own, message, new Output())));
        }
        return found.stream().mapToLong(Long::longValue).toArray();
    }

    private KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(bootstrap(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(bootstrap(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private Properties bootstrap() {
        Properties config = new Properties();
        config.put("bootstrap.servers", server);
        return config;
    }
}
