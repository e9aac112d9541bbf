package wirelab.codecs;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The counterpart of `wirelab-codec` for the Java pack on the class path: checks round trips
 * (`verify`) and measures sizes (`sizes`), CPU time (`bench`), call latency (`singly`) and memory
 * (`memory`, `peak`). Prints JSON, one object per line. Exit code 3 for a corpus or codec that
 * cannot be used.
 *
 * <pre>
 * verify CORPUS --codec A,B [--bytes FILE]       FILE: messages encoded by another program
 * sizes CORPUS --codec A,B
 * encode CORPUS --codec A,B --bytes FILE         writes FILE: per message a u32 length
 *                                                (little-endian) and the bytes
 * memory CORPUS --codec A --phase P,Q
 * peak CORPUS --codec A [--phase P --iterations N]
 * singly CORPUS --codec A --seed K --warmup S
 * bench CORPUS --codec A --phase P,Q --seconds-per S --samples N --seed K --warmup S [--groups G]
 * </pre>
 */
public final class Main {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Corpus<?> corpus;
    private final Map<String, String> options;

    private Main(Corpus<?> corpus, Map<String, String> options) {
        this.corpus = corpus;
        this.options = options;
    }

    record Sizes(String codec, List<Integer> bytes) {}

    public static void main(String[] words) {
        try {
            Map<String, String> options = new HashMap<>();
            for (int i = 2; i + 1 < words.length; i += 2) {
                options.put(words[i], words[i + 1]);
            }
            new Main(read(Path.of(words[1])), options).run(words[0]);
        } catch (Exception | LinkageError e) {
            System.err.println("wirelab-codec: " + e);
            System.exit(3);
        }
    }

    private static Corpus<?> read(Path path) throws Exception {
        try {
            return Corpus.read(Pack.load(), path);
        } catch (IOException e) {
            throw new IOException("corpus " + path + ": " + e.getMessage(), e);
        }
    }

    private void run(String command) throws Exception {
        if (command.equals("encode")) {
            encode();
            return;
        }
        for (String codec : codecs()) {
            switch (command) {
                case "verify" -> print(RoundTripCheck.run(corpus, codec, readForeign()));
                case "sizes" -> print(new Sizes(codec, encodeAll(corpus, codec).stream().map(b -> b.length).toList()));
                case "bench" -> bench(corpus, codec);
                case "memory" -> measureAllocations(corpus, codec);
                case "peak" -> measurePeakMemory(corpus, codec);
                case "singly" -> measureSingleCalls(corpus, codec);
                default -> throw new IllegalArgumentException("unknown command " + command);
            }
        }
    }

    private String[] codecs() {
        return options.get("--codec").split(",");
    }

    private static <M> List<byte[]> encodeAll(Corpus<M> corpus, String codec) throws Exception {
        return corpus.encodeAll(corpus.open(codec));
    }

    private <M> void bench(Corpus<M> corpus, String name) throws Exception {
        bench(corpus, corpus.open(name), name);
    }

    private <M, O> void bench(Corpus<M> corpus, Codec<M, O> codec, String name) throws Exception {
        List<Phase> phases = phases();
        Bench<?, O> bench =
                new Bench<>(Session.of(corpus, codec, phases), phases, Long.parseLong(options.get("--seed")));
        double secondsPer = Double.parseDouble(options.get("--seconds-per"));
        int samples = Integer.parseInt(options.get("--samples"));
        double warmup = Double.parseDouble(options.get("--warmup"));
        int groups = Integer.parseInt(options.getOrDefault("--groups", "1"));
        for (Bench.Line line : bench.run(name, secondsPer, samples, warmup, groups)) {
            print(line);
        }
    }

    private <M> void measureAllocations(Corpus<M> corpus, String name) throws Exception {
        measureAllocations(corpus, corpus.open(name), name);
    }

    private <M, O> void measureAllocations(Corpus<M> corpus, Codec<M, O> codec, String name) throws Exception {
        List<Phase> phases = phases();
        for (AllocationBench.Line line : new AllocationBench<>(Session.of(corpus, codec, phases)).run(name, phases)) {
            print(line);
        }
    }

    private <M> void measurePeakMemory(Corpus<M> corpus, String name) throws Exception {
        Phase phase = options.containsKey("--phase") ? Phase.of(options.get("--phase")) : null;
        if (phase != null) {
            Session<?, ?> session = Session.of(corpus, corpus.open(name), List.of());
            for (int i = Integer.parseInt(options.get("--iterations")); i > 0; i--) {
                session.runPass(phase);
            }
        }
        print(new PeakMemory(name, phase, PeakMemory.readBytes()));
    }

    private <M> void measureSingleCalls(Corpus<M> corpus, String name) throws Exception {
        Session<?, ?> session = Session.of(corpus, corpus.open(name), List.of());
        long seed = Long.parseLong(options.get("--seed"));
        double warmup = Double.parseDouble(options.get("--warmup"));
        for (SingleCallBench.Line line : new SingleCallBench(session, seed).run(name, warmup)) {
            print(line);
        }
    }

    private List<Phase> phases() {
        return Stream.of(options.get("--phase").split(",")).map(Phase::of).toList();
    }

    /** The messages that another program encoded; null without `--bytes`. */
    private List<byte[]> readForeign() throws IOException {
        if (!options.containsKey("--bytes")) {
            return null;
        }
        byte[] file = Files.readAllBytes(Path.of(options.get("--bytes")));
        ByteBuffer left = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> messages = new ArrayList<>();
        while (left.hasRemaining()) {
            byte[] message = new byte[left.getInt()];
            left.get(message);
            messages.add(message);
        }
        return messages;
    }

    private void encode() throws Exception {
        try (OutputStream file = Files.newOutputStream(Path.of(options.get("--bytes")));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(file))) {
            for (String codec : codecs()) {
                for (byte[] message : encodeAll(corpus, codec)) {
                    out.writeInt(Integer.reverseBytes(message.length));
                    out.write(message);
                }
            }
        }
    }

    private static void print(Object value) throws IOException {
        System.out.write(JSON.writeValueAsString(value).concat("\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}
