package wirelab.codecs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/** A codec with its buffers and encoded messages. Runs and times the loop of a phase. */
final class Session<M, O> {
    /**
     * One timed loop. `bytes` are the bytes written or read; `checksum` is the sum over all
     * messages.
     */
    record Timing(long wallNs, long cpuNs, long operations, long bytes, long checksum) {}

    private static final VarHandle SINK;

    static {
        try {
            SINK = MethodHandles.lookup().findStaticVarHandle(Session.class, "sink", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private static Object sink;

    private final Codec<M, O> codec;
    private final List<M> messages;
    private final List<byte[]> encoded;
    private final List<O> objects = new ArrayList<>();
    private final Output out = new Output();
    private final Clock clock = new Clock();
    private long bytes;
    /** Whether deserialization ends with the tree, which is the application's message. */
    private final boolean endsInMessage;
    private long checksum;

    private Session(List<M> messages, List<byte[]> encoded, Codec<M, O> codec, List<Phase> phases, boolean endsInMessage)
            throws Exception {
        this.codec = codec;
        this.messages = messages;
        this.encoded = encoded;
        this.endsInMessage = endsInMessage;
        if (phases.contains(Phase.POPULATE)) {
            for (M message : messages) {
                objects.add(codec.populate(message));
            }
        }
    }

    static <M, O> Session<?, O> of(Corpus<M> corpus, Codec<M, O> codec, List<Phase> phases) throws Exception {
        List<byte[]> encoded = corpus.encodeAll(codec);
        return codec instanceof DomAdapter<M, O> dom
                ? new Session<>(corpus.parseTrees(), encoded, dom.trees(), phases, true)
                : new Session<>(corpus.messages(), encoded, codec, phases, false);
    }

    int size() {
        return messages.size();
    }

    /**
     * Time `passes` passes of a phase over the messages from `first` (inclusive) to `end`
     * (exclusive).
     */
    Timing run(Phase phase, long passes, int first, int end) throws Exception {
        bytes = 0;
        checksum = 0;
        clock.start();
        for (long pass = 0; pass < passes; pass++) {
            runPass(phase, first, end);
        }
        clock.stop();
        return new Timing(clock.wallNs(), clock.cpuNs(), passes * (end - first), bytes, checksum);
    }

    /** One pass over all messages, not timed. Returns the number of messages. */
    int runPass(Phase phase) throws Exception {
        runPass(phase, 0, messages.size());
        return messages.size();
    }

    void runPass(Phase phase, int first, int end) throws Exception {
        switch (phase) {
            case POPULATE -> populate(first, end);
            case ENCODE -> encode(first, end);
            case ACCESS, ACCESS_VALIDATED -> access(first, end);
            case DECODE -> decode(first, end);
            case CONVERT -> convert(first, end);
            case DESERIALIZE -> deserialize(first, end);
            case SERIALIZE -> serialize(first, end);
        }
    }

    private void populate(int first, int end) throws Exception {
        for (int i = first; i < end; i++) {
            // The JIT compiler cannot remove a release store, and on x86 it costs as much as a
            // plain store.
            SINK.setRelease(codec.populate(messages.get(i)));
        }
    }

    private void encode(int first, int end) throws Exception {
        if (objects.isEmpty()) {
            serialize(first, end);
            return;
        }
        for (int i = first; i < end; i++) {
            out.clear();
            codec.encode(objects.get(i), out);
            bytes += out.size();
        }
        checksum = bytes;
    }

    private void serialize(int first, int end) throws Exception {
        for (int i = first; i < end; i++) {
            out.clear();
            codec.serialize(messages.get(i), out);
            bytes += out.size();
        }
        checksum = bytes;
    }

    private void access(int first, int end) throws Exception {
        for (int i = first; i < end; i++) {
            SINK.setRelease(codec.access(encoded.get(i)));
            bytes += encoded.get(i).length;
        }
    }

    private void decode(int first, int end) throws Exception {
        for (int i = first; i < end; i++) {
            Checksum sum = new Checksum();
            codec.decode(encoded.get(i), sum);
            checksum += sum.value();
            bytes += encoded.get(i).length;
        }
    }

    private void deserialize(int first, int end) throws Exception {
        if (endsInMessage) {
            convert(first, end);
        } else {
            decode(first, end);
        }
    }

    private void convert(int first, int end) throws Exception {
        for (int i = first; i < end; i++) {
            SINK.setRelease(codec.convert(encoded.get(i)));
            bytes += encoded.get(i).length;
        }
    }
}
