package wirelab.peers;

/** A peer of one protocol: `mqtt`, `amqp`, `coap`, `kafka`. */
public final class Main {
    private Main() {}

    public static void main(String[] words) throws InterruptedException {
        Protocol protocol = switch (words.length == 1 ? words[0] : "") {
            case "mqtt" -> new Mqtt();
            case "amqp" -> new Amqp();
            case "coap" -> new Coap();
            case "kafka" -> new Kafka();
            default -> null;
        };
        if (protocol == null) {
            System.err.println("wirelab-peer-java: say which protocol: mqtt, amqp, coap or kafka");
            System.exit(3);
        }
        System.exit(Peer.run(protocol));
    }
}
