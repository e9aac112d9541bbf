package wirelab.servers;

import java.nio.charset.StandardCharsets;

/** The answer to a request: whether it was carried out, and the answer's body. */
public record Answer(boolean isSuccess, byte[] body) {
    static Answer of(int number) {
        return new Answer(true, Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
    }

    /** An answer that says why the request was not carried out. */
    public static Answer refuse(String reason) {
        return new Answer(false, reason.getBytes(StandardCharsets.US_ASCII));
    }
}
