package wirelab.peers;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import wirelab.servers.Answer;

/**
 * The responder over MQTT: subscribes to the requests' topics and publishes each answer under a
 * topic of its own.
 */
final class MqttResponder {
    private MqttResponder() {}

    /**
     * Answers are published on a thread of their own: a callback of the library must not wait for
     * its send queue.
     */
    static Protocol.Subscriber connect(Setup setup, Responder responder) throws Exception {
        boolean answersReports = !setup.isAlternative("reports", "answered", "acknowledged");
        RequestTopics topics = RequestTopics.of(setup);
        BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
        MqttConnection connection = new MqttConnection(setup, (topic, request) -> {
            Answer answer = responder.answer(request.getPayload(), request.isDuplicate());
            if (answersReports || !ResourceRequest.isReport(request.getPayload())) {
                replies.add(new Reply(topics.answerTo(topic), answer.body()));
            }
        }, responder::reportFault);
        connection.subscribe(topics.allRequests());
        Thread thread = new Thread(() -> publishReplies(connection, replies, responder), "answers");
        thread.setDaemon(true);
        thread.start();
        return () -> {
            thread.interrupt();
            connection.close();
        };
    }

    private record Reply(String topic, byte[] body) {}

    private static void publishReplies(MqttConnection connection, BlockingQueue<Reply> replies, Responder responder) {
        try {
            while (true) {
                Reply reply = replies.take();
                connection.publish(reply.topic(), reply.body(), false, isAccepted -> { });
            }
        } catch (InterruptedException e) {
            // The peer is closing.
        } catch (Exception e) {
            responder.reportFault(e instanceof Fault fault ? fault : Fault.fatal("answer", e));
        }
    }
}
