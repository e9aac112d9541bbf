package wirelab.peers;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * A request as text, `METHOD target` or `METHOD target body`. The methods are those that HTTP and
 * CoAP share.
 */
record ResourceRequest(String method, String target, byte[] body) {
    private static final Set<String> METHODS = Set.of("GET", "PUT", "DELETE");

    /** Parse a message; null if it is not such a request. */
    static ResourceRequest parse(byte[] message) {
        // Latin-1 maps every byte to one character and back.
        String[] words = new String(message, StandardCharsets.ISO_8859_1).split(" ", 3);
        if (words.length < 2 || !METHODS.contains(words[0])) {
            return null;
        }
        String target = new String(words[1].getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        String body = words.length < 3 ? "" : words[2];
        return new ResourceRequest(words[0], target, body.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The message that `parse` reads as this request. */
    byte[] encode() {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes((method + " " + target).getBytes(StandardCharsets.UTF_8));
        if (body.length > 0) {
            message.write(' ');
            message.writeBytes(body);
        }
        return message.toByteArray();
    }

    /** Whether a message reports a state, so that an acknowledgement suffices as its answer. */
    static boolean isReport(byte[] message) {
        ResourceRequest request = parse(message);
        return request != null && !request.method().equals("GET");
    }
}
