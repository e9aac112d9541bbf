package wirelab.peers;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** A request written as `VERB target`, or `VERB target body`: one of the words that HTTP and CoAP share, of what, and what comes along. */
record Ask(String verb, String target, byte[] body) {
    private static final Set<String> VERBS = Set.of("GET", "PUT", "DELETE");

    /** Read a message; null for one that is no such request. */
    static Ask read(byte[] message) {
        // Latin-1 keeps every byte as it is.
        String[] words = new String(message, StandardCharsets.ISO_8859_1).split(" ", 3);
        if (words.length < 2 || !VERBS.contains(words[0])) {
            return null;
        }
        String target = new String(words[1].getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        String body = words.length < 3 ? "" : words[2];
        return new Ask(words[0], target, body.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The message of which this was read. */
    byte[] write() {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes((verb + " " + target).getBytes(StandardCharsets.UTF_8));
        if (body.length > 0) {
            message.write(' ');
            message.writeBytes(body);
        }
        return message.toByteArray();
    }

    /** Whether a message reports something: it needs no answer but that it has come. */
    static boolean isReport(byte[] message) {
        Ask ask = read(message);
        return ask != null && !ask.verb().equals("GET");
    }
}
