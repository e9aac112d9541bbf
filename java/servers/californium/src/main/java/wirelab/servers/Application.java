package wirelab.servers;

import java.nio.charset.StandardCharsets;
import org.eclipse.californium.core.coap.CoAP;

/** What stands behind requests: it takes one and gives the answer. */
interface Application {
    /** The request's body comes back. */
    Application ECHO = (method, target, body) -> new Answer(true, body);

    Answer answer(CoAP.Code method, String target, byte[] body);

    /** Whether what was asked could be done, and the answer's bytes. */
    record Answer(boolean isDone, byte[] body) {
        static Answer of(int spot) {
            return new Answer(true, Integer.toString(spot).getBytes(StandardCharsets.US_ASCII));
        }

        static Answer refused(String why) {
            return new Answer(false, why.getBytes(StandardCharsets.US_ASCII));
        }
    }
}
