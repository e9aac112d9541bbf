package wirelab.peers;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/** Requests and answers over MQTT, which has none of its own: each under a topic of its own, both sides clients of the broker. */
final class MqttAsking {
    private MqttAsking() {}

    /** The side that asks: over one connection, or over a connection for each request. */
    static Protocol.Publisher requester(Setup setup, Outcomes outcomes) throws Exception {
        boolean allAnswered = !setup.isOther("reports", "answered", "acknowledged");
        Topics topics = Topics.of(setup);
        if (setup.connectsEach()) {
            // Whether there is a server is seen before the first request.
            new MqttLine(setup, (topic, message) -> { }, fault -> { }).close();
            return new Aside(outcomes, (seq, message) -> askOnce(setup, topics, allAnswered, seq, message, outcomes));
        }
        MqttLine line = new MqttLine(setup, (topic, message) -> outcomes.answered(Topics.seqOf(topic)), outcomes::fault);
        line.subscribe(topics.answer("+"));
        return new Kept(line, topics, allAnswered, outcomes);
    }

    /** Connect, subscribe where an answer is due, publish, wait for what ends the request, disconnect. */
    private static void askOnce(Setup setup, Topics topics, boolean allAnswered, long seq, byte[] message, Outcomes outcomes)
            throws Exception {
        boolean isReport = !allAnswered && Ask.isReport(message);
        CompletableFuture<Void> over = new CompletableFuture<>();
        Runnable end = () -> {
            outcomes.answered(seq);
            over.complete(null);
        };
        // No two clients of a broker may have the same name.
        Setup own = setup.named(setup.client() + "-" + seq);
        try (MqttLine line = new MqttLine(own, (topic, answer) -> end.run(), over::completeExceptionally)) {
            if (!isReport) {
                line.subscribe(topics.answer(Long.toString(seq)));
            }
            line.publish(topics.request(seq), message, false, isTaken -> {
                if (!isTaken) {
                    over.completeExceptionally(Fault.minor("publish", "the server refused it"));
                } else if (isReport) {
                    end.run();
                }
            });
            over.get();
        }
    }

    /** Answers what the library hands over on a thread of its own: the library's must not wait for its own queue. */
    static Protocol.Subscriber responder(Setup setup, Desk desk) throws Exception {
        boolean allAnswered = !setup.isOther("reports", "answered", "acknowledged");
        Topics topics = Topics.of(setup);
        BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
        MqttLine line = new MqttLine(setup, (topic, request) -> {
            Desk.Answer answer = desk.answer(request.getPayload(), request.isDuplicate());
            if (allAnswered || !Ask.isReport(request.getPayload())) {
                replies.add(new Reply(topics.answerTo(topic), answer.body()));
            }
        }, desk::fault);
        line.subscribe(topics.everyRequest());
        Thread thread = new Thread(() -> reply(line, replies, desk), "answers");
        thread.setDaemon(true);
        thread.start();
        return () -> {
            thread.interrupt();
            line.close();
        };
    }

    private record Reply(String topic, byte[] body) {}

    private static void reply(MqttLine line, BlockingQueue<Reply> replies, Desk desk) {
        try {
            while (true) {
                Reply reply = replies.take();
                line.publish(reply.topic(), reply.body(), false, isTaken -> { });
            }
        } catch (InterruptedException e) {
            // The peer is leaving.
        } catch (Exception e) {
            desk.fault(e instanceof Fault fault ? fault : Fault.fatal("answer", e));
        }
    }

    private record Kept(MqttLine line, Topics topics, boolean allAnswered, Outcomes outcomes) implements Protocol.Publisher {
        @Override
        public void send(long seq, byte[] message) throws Exception {
            boolean isReport = !allAnswered && Ask.isReport(message);
            line.publish(topics.request(seq), message, false, isTaken -> {
                if (!isTaken) {
                    outcomes.failed(seq);
                } else if (isReport) {
                    outcomes.answered(seq);
                }
            });
        }

        @Override
        public void flush() throws Exception {
            line.flush();
        }

        @Override
        public void close() throws Exception {
            line.close();
        }
    }
}
