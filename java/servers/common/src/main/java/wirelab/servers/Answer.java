package wirelab.servers;

import java.nio.charset.StandardCharsets;

/** The answer to a request: whether it was carried out, and the answer's body. */
public record Answer(boolean isSuccess, byte[] body) {
    static Answer accept(String text) {
        return new Answer(true, text.getBytes(StandardCharsets.UTF_8));
    }

    /** An answer that says why the request was not carried out. */
    static Answer refuse(String reason) {
        return new Answer(false, reason.getBytes(StandardCharsets.UTF_8));
    }
}
