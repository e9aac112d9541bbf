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

/** Where messages come from: a file of ready-made ones, or a codec pack that encodes them live. */
interface Payload {
    int size();

    /** The bytes of a message, encoded now. */
    byte[] encode(int index) throws Fault;

    /** Whether there is a codec that reads what arrives. */
    boolean decodes();

    /** Read every field of a message: whether it decodes; true where there is no codec. */
    boolean decode(byte[] message);

    /** Open a payload; no message may be larger than `most`, 0 for no limit. Throws a fatal fault that names the file. */
    static Payload open(JsonNode payload, long most) throws Fault {
        Payload found = payload.has("messages")
                ? new Ready(read(payload.get("messages").asText(), most))
                : NativePack.open(
                        payload.path("pack").asText(), payload.path("codec").asText(), payload.path("corpus").asText());
        if (found.size() == 0) {
            throw Fault.fatal("payload", "it holds no messages");
        }
        return found;
    }

    private static List<byte[]> read(String path, long most) throws Fault {
        List<byte[]> messages = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(path))))) {
            for (int first = in.read(); first >= 0; first = in.read()) {
                long length = first | in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16
                        | (long) in.readUnsignedByte() << 24;
                if (most > 0 && length > most || length > Integer.MAX_VALUE) {
                    throw Fault.fatal("payload", "a message has " + length + " bytes, the protocol carries " + most);
                }
                byte[] message = in.readNBytes((int) length);
                if (message.length < length) {
                    throw new EOFException();
                }
                messages.add(message);
            }
            return messages;
        } catch (EOFException e) {
            throw Fault.fatal("messages " + path, "the last message is shorter than its length says");
        } catch (IOException e) {
            throw Fault.fatal("messages " + path, e);
        }
    }

    /** Ready-made messages. */
    record Ready(List<byte[]> messages) implements Payload {
        @Override
        public int size() {
            return messages.size();
        }

        @Override
        public byte[] encode(int index) {
            return messages.get(index);
        }

        @Override
        public boolean decodes() {
            return false;
        }

        @Override
        public boolean decode(byte[] message) {
            return true;
        }
    }
}
