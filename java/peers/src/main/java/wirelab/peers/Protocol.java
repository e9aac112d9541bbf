package wirelab.peers;

import java.util.List;
import java.util.Map;

/** One protocol, spoken through one library. Used for one role in one trial. */
public interface Protocol {
    /** The answer to `describe`, without what all peers share. */
    Described describe();

    /** Connect a publisher; may block. Throws a fatal fault that names the server and the cause. */
    Publisher publisher(Setup setup, Outcomes outcomes) throws Exception;

    /** Connect a subscriber and wait until the server has confirmed the subscription; may block. */
    Subscriber subscriber(Setup setup, Inbox inbox) throws Exception;

    /** Whether it takes the roles requester and responder as well (docs/contracts/peer.md, "Requests and answers"). */
    default boolean answers() {
        return false;
    }

    /** Connect a requester, whose messages are requests; it tells of their answers by `Outcomes.answered`. Only where it `answers`. */
    default Publisher requester(Setup setup, Outcomes outcomes) throws Exception {
        throw new UnsupportedOperationException("requester");
    }

    /** Connect a responder, which sends back what the desk answers. Only where it `answers`. */
    default Subscriber responder(Setup setup, Desk desk) throws Exception {
        throw new UnsupportedOperationException("responder");
    }

    /** `options` are names with defaults. */
    record Described(
            String name,
            String protocol,
            String library,
            String version,
            List<Level> qos,
            boolean ordered,
            long maxMessage,
            List<String> servers,
            Map<String, String> options) {}

    /** A qos level: what the protocol promises, and whether the publisher learns of each message. */
    record Level(String name, String delivery, boolean acknowledged) {}

    /** Owned by the pacer's thread. */
    interface Publisher {
        /** Hand one message to the library; may block while it is full. Messages come with seq 0, 1, 2 ... */
        void send(long seq, byte[] message) throws Exception;

        /** Block until every byte has left the library. Called once, after the last message. */
        void flush() throws Exception;

        /** Leave politely, in under a second. */
        void close() throws Exception;
    }

    /** Its arrivals go to the inbox it was given. */
    interface Subscriber {
        /** Leave politely, in under a second. */
        void close() throws Exception;
    }
}
