package wirelab.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The source of messages: a file of encoded messages, or a codec pack that encodes them during the
 * trial.
 */
interface Payload {
    int size();

    /** The bytes of a message, encoded now. */
    byte[] encode(int index) throws Fault;

    /** Whether a codec decodes arriving messages. */
    boolean hasCodec();

    /** Decode every field of a message. Returns whether that succeeded; true without a codec. */
    boolean decode(byte[] message);

    /**
     * Open a payload. No message may be larger than `maxSize`; 0 means no limit. Throws a fatal
     * fault that names the file.
     */
    static Payload open(JsonNode payload, long maxSize) throws Fault {
        Payload opened = payload.has("messages")
                ? new EncodedMessages(read(payload.get("messages").asText(), maxSize))
                : openPack(payload.path("pack").asText(), payload.path("codec").asText(), payload.path("corpus").asText());
        if (opened.size() == 0) {
            throw Fault.fatal("payload", "no messages");
        }
        return opened;
    }

    /** A pack is a shared library, or a folder of Java classes. */
    private static Payload openPack(String pack, String codec, String corpus) throws Fault {
        return Files.isDirectory(Path.of(pack))
                ? JavaPack.open(pack, codec, corpus)
                : NativePack.open(pack, codec, corpus);
    }

    private static List<byte[]> read(String path, long maxSize) throws Fault {
        List<byte[]> messages = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(path))))) {
            for (int first = in.read(); first >= 0; first = in.read()) {
                long length = first | in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16
                        | (long) in.readUnsignedByte() << 24;
                if (maxSize > 0 && length > maxSize || length > Integer.MAX_VALUE) {
                    throw Fault.fatal("payload", "a message has " + length + " bytes, the limit of the protocol is " + maxSize);
                }
                byte[] message = in.readNBytes((int) length);
                if (message.length < length) {
                    throw new EOFException();
                }
                messages.add(message);
            }
            return messages;
        } catch (EOFException e) {
            throw Fault.fatal("messages " + path, "the last message is truncated");
        } catch (IOException e) {
            throw Fault.fatal("messages " + path, e);
        }
    }

    /** Messages encoded before the trial. */
    record EncodedMessages(List<byte[]> messages) implements Payload {
        @Override
        public int size() {
            return messages.size();
        }

        @Override
        public byte[] encode(int index) {
            return messages.get(index);
        }

        @Override
        public boolean hasCodec() {
            return false;
        }

        @Override
        public boolean decode(byte[] message) {
            return true;
        }
    }
}
