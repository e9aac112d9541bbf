package wirelab.codecs;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;

/**
 * A codec of a pack at work on a corpus, message by message, as a peer uses it: the counterpart of
 * `wl_encode` and `wl_decode`. For one thread.
 *
 * @param <M> the application's message type
 */
public final class LiveCodec<M> {
    private final Codec<M, ?> codec;
    private final List<M> messages;
    /** Whether a message is read by building it, as where the application's message is a tree. */
    private final boolean endsInMessage;
    private final Output out = new Output();

    private LiveCodec(Codec<M, ?> codec, List<M> messages, boolean endsInMessage) {
        this.codec = codec;
        this.messages = messages;
        this.endsInMessage = endsInMessage;
    }

    /**
     * The codec named `format/library` of the pack whose classes are in this folder, on a corpus in
     * JSON Lines. The classes stay loaded.
     */
    @SuppressWarnings("resource")
    public static LiveCodec<?> open(Path classes, String codec, Path corpus) throws Exception {
        URL[] folder = {classes.toUri().toURL()};
        return open(Corpus.read(Pack.load(new URLClassLoader(folder, LiveCodec.class.getClassLoader())), corpus), codec);
    }

    private static <M> LiveCodec<?> open(Corpus<M> corpus, String name) throws Exception {
        return of(corpus, corpus.open(name));
    }

    private static <M, O> LiveCodec<?> of(Corpus<M> corpus, Codec<M, O> codec) throws IOException {
        return codec instanceof DomAdapter<M, O> dom
                ? new LiveCodec<>(dom.trees(), corpus.parseTrees(), true)
                : new LiveCodec<>(codec, corpus.messages(), false);
    }

    /** The number of messages in the corpus. */
    public int size() {
        return messages.size();
    }

    /** The bytes of a message of the corpus, encoded now. */
    public byte[] encode(int index) throws Exception {
        out.clear();
        codec.serialize(messages.get(index), out);
        return out.copy();
    }

    /**
     * Read every field of one whole message. Returns the checksum, or for trees their hash. Throws
     * an exception for other bytes.
     */
    public long decode(byte[] message) throws Exception {
        if (endsInMessage) {
            return codec.convert(message).hashCode();
        }
        Checksum sum = new Checksum();
        codec.decode(message, sum);
        return sum.value();
    }
}
