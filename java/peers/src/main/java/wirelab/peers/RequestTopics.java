package wirelab.peers;

/**
 * The topics of requests and answers of an MQTT client, as in crates/peer-mqtt:
 * `T/request/CLIENT/SEQ` and `T/answer/CLIENT/SEQ`.
 */
record RequestTopics(String topic, String client) {
    private static final String REQUEST = "/request/";

    static RequestTopics of(Setup setup) {
        return new RequestTopics(setup.topic(), setup.client());
    }

    /** The topic filter for the requests of all requesters. */
    String allRequests() {
        return topic + REQUEST + "+/+";
    }

    String request(long seq) {
        return topic + REQUEST + client + "/" + seq;
    }

    /** `seq` is a number, or + for all. */
    String answer(String seq) {
        return topic + "/answer/" + client + "/" + seq;
    }

    /** The topic for the answer to the request with this topic. */
    String answerTo(String request) {
        return topic + "/answer/" + request.substring(topic.length() + REQUEST.length());
    }

    /** The sequence number in an answer's topic. */
    static long parseSeq(String answer) {
        return Long.parseLong(answer.substring(answer.lastIndexOf('/') + 1));
    }
}
