package wirelab.peers;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import wirelab.peers.Peer.Input;

/** Reads commands from standard input, one JSON object a line. */
final class CommandReader {
    private static final int MAX_LINE = 1 << 20;
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private CommandReader() {}

    /** Read until the end of input, which means `stop`. */
    static void read(InputStream stream, BlockingQueue<Input> inputs) {
        try (InputStream in = new BufferedInputStream(stream)) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int length = 0;
            for (int sign = in.read(); sign >= 0; sign = in.read()) {
                if (sign != '\n') {
                    length++;
                    if (length <= MAX_LINE) {
                        line.write(sign);
                    }
                    continue;
                }
                inputs.add(length > MAX_LINE ? reject("longer than 1 MiB") : parse(line.toByteArray()));
                line.reset();
                length = 0;
            }
        } catch (IOException e) {
            // The writer closed the pipe: stop.
        }
        inputs.add(new Input.End());
    }

    private static Input parse(byte[] line) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
            JsonNode node = JSON.readTree(text);
            return node.isObject() && node.path("cmd").isTextual() ? new Input.Command(node) : reject("no command");
        } catch (CharacterCodingException e) {
            return reject("not UTF-8");
        } catch (IOException e) {
            return reject("not JSON");
        }
    }

    private static Input reject(String reason) {
        return new Input.Failure(Fault.minor("command", reason));
    }
}
