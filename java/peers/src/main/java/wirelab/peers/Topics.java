package wirelab.peers;

/** Under which topics the requests and answers of an MQTT client go, as in crates/peer-mqtt: `T/request/CLIENT/SEQ` and `T/answer/CLIENT/SEQ`. */
record Topics(String topic, String client) {
    private static final String REQUEST = "/request/";

    static Topics of(Setup setup) {
        return new Topics(setup.topic(), setup.client());
    }

    /** The requests of every requester, for whoever answers them. */
    String everyRequest() {
        return topic + REQUEST + "+/+";
    }

    String request(long seq) {
        return topic + REQUEST + client + "/" + seq;
    }

    /** `seq` is a number, or + for all. */
    String answer(String seq) {
        return topic + "/answer/" + client + "/" + seq;
    }

    /** Where the answer to a request of this topic goes. */
    String answerTo(String request) {
        return topic + "/answer/" + request.substring(topic.length() + REQUEST.length());
    }

    /** The request that an answer's topic names. */
    static long seqOf(String answer) {
        return Long.parseLong(answer.substring(answer.lastIndexOf('/') + 1));
    }
}
