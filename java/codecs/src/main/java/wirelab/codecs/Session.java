package wirelab.codecs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/** A codec with its buffers and encoded messages: runs the loop of a phase and times it from inside. */
final class Session<M, O> {
    /** One timed loop. `bytes` were produced or consumed, `checksum` is the sum of all that was read or written. */
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
    private long checksum;

    Session(Corpus<M> corpus, Codec<M, O> codec, List<Phase> phases) throws Exception {
        this.codec = codec;
        messages = corpus.messages();
        encoded = corpus.encoded(codec);
        if (phases.contains(Phase.POPULATE)) {
            for (M message : messages) {
                objects.add(codec.populate(message));
            }
        }
    }

    Timing run(Phase phase, long passes) throws Exception {
        bytes = 0;
        checksum = 0;
        clock.start();
        for (long pass = 0; pass < passes; pass++) {
            pass(phase);
        }
        clock.stop();
        return new Timing(clock.wallNs(), clock.cpuNs(), passes * messages.size(), bytes, checksum);
    }

    private void pass(Phase phase) throws Exception {
        switch (phase) {
            case POPULATE -> populate();
            case ENCODE -> encode();
            case ACCESS, ACCESS_VALIDATED -> access();
            case DECODE, DESERIALIZE -> decode();
            case CONVERT -> convert();
            case SERIALIZE -> serialize();
        }
    }

    private void populate() throws Exception {
        for (int i = 0; i < messages.size(); i++) {
            // A release store cannot be left out, and costs what a plain one does.
            SINK.setRelease(codec.populate(messages.get(i)));
        }
    }

    private void encode() throws Exception {
        if (objects.isEmpty()) {
            serialize();
            return;
        }
        for (int i = 0; i < objects.size(); i++) {
            out.clear();
            codec.encode(objects.get(i), out);
            bytes += out.size();
        }
        checksum = bytes;
    }

    private void serialize() throws Exception {
        for (int i = 0; i < messages.size(); i++) {
            out.clear();
            codec.serialize(messages.get(i), out);
            bytes += out.size();
        }
        checksum = bytes;
    }

    private void access() throws Exception {
        for (int i = 0; i < encoded.size(); i++) {
            SINK.setRelease(codec.access(encoded.get(i)));
            bytes += encoded.get(i).length;
        }
    }

    private void decode() throws Exception {
        for (int i = 0; i < encoded.size(); i++) {
            Sum sum = new Sum();
            codec.decode(encoded.get(i), sum);
            checksum += sum.value();
            bytes += encoded.get(i).length;
        }
    }

    private void convert() throws Exception {
        for (int i = 0; i < encoded.size(); i++) {
            SINK.setRelease(codec.convert(encoded.get(i)));
            bytes += encoded.get(i).length;
        }
    }
}
