package wirelab.peers;

import java.util.List;
import java.util.Map;

/** A protocol through one client library. One instance serves one role in one trial. */
public interface Protocol {
    /** The answer to `describe`, without the options that all peers share. */
    Described describe();

    /** Connect a publisher. May block. Throws a fatal fault that names the server and the cause. */
    Publisher connectPublisher(Setup setup, Outcomes outcomes) throws Exception;

    /** Connect a subscriber and wait until the server has confirmed the subscription. May block. */
    Subscriber connectSubscriber(Setup setup, Inbox inbox) throws Exception;

    /**
     * Whether it supports the roles requester and responder (docs/contracts/peer.md, "Requests and
     * answers").
     */
    default boolean supportsRequests() {
        return false;
    }

    /**
     * Connect a requester, which reports answers by `Outcomes.recordAnswered`. Called only if it
     * `supportsRequests`.
     */
    default Publisher connectRequester(Setup setup, Outcomes outcomes) throws Exception {
        throw new UnsupportedOperationException("requester");
    }

    /**
     * Connect a responder, which sends the answers of `responder`. Called only if it
     * `supportsRequests`.
     */
    default Subscriber connectResponder(Setup setup, Responder responder) throws Exception {
        throw new UnsupportedOperationException("responder");
    }

    /** `options` maps names to default values. */
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

    /**
     * A qos level, its delivery guarantee, and whether the publisher learns the outcome of each
     * message.
     */
    record Level(String name, String delivery, boolean acknowledged) {}

    /** Used by the pacer's thread only. */
    interface Publisher {
        /**
         * Hand one message to the library. May block while its buffer is full. `seq` is 0, 1, 2 ...
         */
        void send(long seq, byte[] message) throws Exception;

        /** Block until every byte has left the library. Called once, after the last message. */
        void flush() throws Exception;

        /** Disconnect cleanly, in under a second. */
        void close() throws Exception;
    }

    /** Delivers its messages to the inbox that it was created with. */
    interface Subscriber {
        /** Disconnect cleanly, in under a second. */
        void close() throws Exception;
    }
}
