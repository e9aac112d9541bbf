package wirelab.jmh;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;
import wirelab.codecs.Codec;
import wirelab.codecs.Corpus;
import wirelab.codecs.Output;
import wirelab.codecs.Pack;
import wirelab.codecs.Checksum;

/**
 * One operation is one pass over all messages of the corpus that the property `wirelab.corpus`
 * names.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Agreement {
    @Param("")
    private String codec;

    private Workload<?> workload;

    /** A codec, with its messages as native objects and as bytes. */
    private static final class Workload<M> {
        private final Codec<M, ?> codec;
        private final List<M> messages;
        private final List<byte[]> encoded = new ArrayList<>();
        private final Output out = new Output();

        private Workload(Corpus<M> corpus, String name) throws Exception {
            codec = corpus.open(name);
            messages = corpus.messages();
            for (M message : messages) {
                out.clear();
                codec.serialize(message, out);
                encoded.add(out.copy());
            }
        }

        private void serialize(Blackhole sink) throws Exception {
            for (M message : messages) {
                out.clear();
                codec.serialize(message, out);
                sink.consume(out.size());
            }
        }

        private void deserialize(Blackhole sink) throws Exception {
            for (byte[] message : encoded) {
                Checksum sum = new Checksum();
                codec.decode(message, sum);
                sink.consume(sum.value());
            }
        }
    }

    @Setup
    public void open() throws Exception {
        workload = new Workload<>(Corpus.read(Pack.load(), Path.of(System.getProperty("wirelab.corpus"))), codec);
    }

    @Benchmark
    public void serialize(Blackhole sink) throws Exception {
        workload.serialize(sink);
    }

    @Benchmark
    public void deserialize(Blackhole sink) throws Exception {
        workload.deserialize(sink);
    }
}
