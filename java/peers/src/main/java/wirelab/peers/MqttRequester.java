package wirelab.peers;

import java.util.concurrent.CompletableFuture;

/**
 * The requester over MQTT, which has no requests itself: each request and each answer has a topic
 * of its own, and both sides are clients of the broker. Over one connection, or over a connection
 * per request.
 */
final class MqttRequester {
    private MqttRequester() {}

    static Protocol.Publisher connect(Setup setup, Outcomes outcomes) throws Exception {
        boolean answersReports = !setup.isAlternative("reports", "answered", "acknowledged");
        RequestTopics topics = RequestTopics.of(setup);
        if (setup.connectsPerRequest()) {
            // Fail now, not at the first request, if there is no server.
            new MqttConnection(setup, (topic, message) -> { }, fault -> { }).close();
            return new ConnectionPerRequest(outcomes, (seq, message) ->
                    exchange(setup, topics, answersReports, seq, message, outcomes));
        }
        MqttConnection connection = new MqttConnection(
                setup, (topic, message) -> outcomes.recordAnswered(RequestTopics.parseSeq(topic)), outcomes::reportFault);
        connection.subscribe(topics.answer("+"));
        return new SingleConnection(connection, topics, answersReports, outcomes);
    }

    /**
     * Connect, subscribe if an answer is due, publish, wait for the end of the request, disconnect.
     */
    private static void exchange(Setup setup, RequestTopics topics, boolean answersReports, long seq, byte[] message,
            Outcomes outcomes) throws Exception {
        boolean needsNoAnswer = !answersReports && ResourceRequest.isReport(message);
        CompletableFuture<Void> done = new CompletableFuture<>();
        Runnable finish = () -> {
            outcomes.recordAnswered(seq);
            done.complete(null);
        };
        // Client identifiers must be unique at a broker.
        Setup own = setup.withClient(setup.client() + "-" + seq);
        try (MqttConnection connection =
                new MqttConnection(own, (topic, answer) -> finish.run(), done::completeExceptionally)) {
            if (!needsNoAnswer) {
                connection.subscribe(topics.answer(Long.toString(seq)));
            }
            connection.publish(topics.request(seq), message, false, isAccepted -> {
                if (!isAccepted) {
                    done.completeExceptionally(Fault.minor("publish", "the server refused it"));
                } else if (needsNoAnswer) {
                    finish.run();
                }
            });
            done.get();
        }
    }

    private record SingleConnection(
            MqttConnection connection, RequestTopics topics, boolean answersReports, Outcomes outcomes)
            implements Protocol.Publisher {
        @Override
        public void send(long seq, byte[] message) throws Exception {
            boolean needsNoAnswer = !answersReports && ResourceRequest.isReport(message);
            connection.publish(topics.request(seq), message, false, isAccepted -> {
                if (!isAccepted) {
                    outcomes.recordFailed(seq);
                } else if (needsNoAnswer) {
                    outcomes.recordAnswered(seq);
                }
            });
        }

        @Override
        public void flush() throws Exception {
            connection.flush();
        }

        @Override
        public void close() throws Exception {
            connection.close();
        }
    }
}
