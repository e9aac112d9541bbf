package wirelab.peers;

import java.nio.file.Path;
import wirelab.codecs.LiveCodec;

/** A codec pack of classes (docs/contracts/pack.md), whose codec runs in this JVM. */
final class JavaPack implements Payload {
    private final LiveCodec<?> codec;
    /** Written for every message, so that the compiler cannot leave reading out. */
    private long read;

    private JavaPack(LiveCodec<?> codec) {
        this.codec = codec;
    }

    static JavaPack open(String pack, String codec, String corpus) throws Fault {
        try {
            return new JavaPack(LiveCodec.open(Path.of(pack), codec, Path.of(corpus)));
        } catch (Exception | LinkageError e) {
            throw Fault.fatal("codec " + codec + " of pack " + pack + " on corpus " + corpus, String.valueOf(e));
        }
    }

    @Override
    public int size() {
        return codec.size();
    }

    @Override
    public byte[] encode(int index) throws Fault {
        try {
            return codec.encode(index);
        } catch (Exception e) {
            throw Fault.fatal("encode message " + index, String.valueOf(e));
        }
    }

    @Override
    public boolean hasCodec() {
        return true;
    }

    @Override
    public boolean decode(byte[] message) {
        try {
            read = codec.decode(message);
            return true;
        } catch (Exception e) {
            return false;
        }
    }
}
