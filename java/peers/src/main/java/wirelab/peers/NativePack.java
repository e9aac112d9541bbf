package wirelab.peers;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A native codec pack (packs/abi/wirelab_pack.h), so that Java and Rust clients send messages
 * encoded by the same code.
 */
final class NativePack implements Payload {
    private final Pointer session;
    private final int size;
    private final PointerByReference out = new PointerByReference();
    private final LongByReference length = new LongByReference();
    private final LongByReference checksum = new LongByReference();

    private NativePack(Pointer session, int size) {
        this.session = session;
        this.size = size;
    }

    static NativePack open(String pack, String codec, String corpus) throws Fault {
        byte[] text;
        try {
            text = Files.readAllBytes(Path.of(corpus));
        } catch (IOException e) {
            throw Fault.fatal("corpus " + corpus, e);
        }
        try {
            Native.register(Abi.class, NativeLibrary.getInstance(pack));
        } catch (UnsatisfiedLinkError e) {
            throw Fault.fatal("pack " + pack, e.getMessage().lines().findFirst().orElse("cannot be loaded"));
        }
        PointerByReference made = new PointerByReference();
        check("corpus " + corpus, Abi.wl_corpus_open(text, text.length, made));
        Pointer messages = made.getValue();
        check("codec " + codec, Abi.wl_session_open(messages, codec, made));
        return new NativePack(made.getValue(), Math.toIntExact(Abi.wl_corpus_len(messages)));
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public byte[] encode(int index) throws Fault {
        check("encode message " + index, Abi.wl_encode(session, index, out, length));
        int bytes = (int) length.getValue();
        return bytes == 0 ? new byte[0] : out.getValue().getByteArray(0, bytes);
    }

    @Override
    public boolean hasCodec() {
        return true;
    }

    @Override
    public boolean decode(byte[] message) {
        return Abi.wl_decode(session, message, message.length, checksum) == 0;
    }

    private static void check(String what, int code) throws Fault {
        if (code != 0) {
            throw Fault.fatal(what, Abi.wl_last_error());
        }
    }

    /** The functions of the ABI. size_t has 64 bits on all supported platforms. */
    @SuppressWarnings("checkstyle:MethodName")
    private static final class Abi {
        static native String wl_last_error();

        static native int wl_corpus_open(byte[] text, long length, PointerByReference out);

        static native long wl_corpus_len(Pointer corpus);

        static native int wl_session_open(Pointer corpus, String codec, PointerByReference out);

        static native int wl_encode(Pointer session, long index, PointerByReference out, LongByReference length);

        static native int wl_decode(Pointer session, byte[] bytes, long length, LongByReference checksum);
    }
}
