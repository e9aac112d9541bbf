package wirelab.actors;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import wirelab.codecs.Corpus;
import wirelab.codecs.Pack;

/**
 * Measures the lag through three actors and Kafka, in epochs. The corpus is divided into as many
 * equal parts as there are epochs. `--epochs` gives the number of messages of each. Writes the lags
 * in ns of all epochs to the file `--lags`, as little-endian i64. Prints a JSON line for each
 * finished epoch.
 *
 * <pre>
 * CORPUS --codec FORMAT/LIBRARY --server HOST:PORT --epochs N,N,... --warmup N
 *     --topics PREFIX --lags FILE
 * </pre>
 */
public final class Main {
    private Main() {}

    public static void main(String[] words) {
        Map<String, String> options = new HashMap<>();
        for (int i = 1; i + 1 < words.length; i += 2) {
            options.put(words[i], words[i + 1]);
        }
        try {
            run(Corpus.read(Pack.load(), Path.of(words[0])), options);
        } catch (Exception | LinkageError e) {
            System.err.println("actors: " + e);
            System.exit(3);
        }
        System.exit(0);
    }

    private static <M> void run(Corpus<M> corpus, Map<String, String> options) throws Exception {
        String server = options.get("--server");
        String prefix = options.get("--topics");
        List<Epoch> epochs = createEpochs(corpus.messages().size(), options);
        Actors<M> actors = new Actors<>(corpus, options.get("--codec"), server, prefix);
        try (Topics topics = new Topics(server);
                OutputStream file = Files.newOutputStream(Path.of(options.get("--lags")))) {
            topics.create(epochs, prefix);
            actors.run(epochs, (epoch, elapsed) -> {
                topics.delete(epoch, prefix);
                if (epoch.number() > 0) {
                    file.write(encodeLittleEndian(epoch.lags()));
                    System.out.printf("{\"epoch\":%d,\"messages\":%d,\"elapsed_ns\":%d}%n", epoch.number(), epoch.count(), elapsed);
                    System.out.flush();
                }
            });
        }
    }

    /** Epoch 0, the warm-up of the JVM with messages of all sizes, and the epochs of the option. */
    private static List<Epoch> createEpochs(int messages, Map<String, String> options) {
        String[] counts = options.get("--epochs").split(",");
        List<Epoch> epochs = new ArrayList<>();
        epochs.add(Epoch.of(0, 0, messages, Integer.parseInt(options.get("--warmup"))));
        for (int i = 0; i < counts.length; i++) {
            int first = messages * i / counts.length;
            epochs.add(Epoch.of(i + 1, first, messages * (i + 1) / counts.length, Integer.parseInt(counts[i])));
        }
        return epochs;
    }

    private static byte[] encodeLittleEndian(long[] values) {
        ByteBuffer buffer = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.asLongBuffer().put(values);
        return buffer.array();
    }
}
