package wirelab.peers;

/** Runs the peer of one protocol and library. */
public final class Main {
    private Main() {}

    public static void main(String[] words) throws InterruptedException {
        Protocol protocol = switch (words.length == 1 ? words[0] : "") {
            case "mqtt" -> new Mqtt();
            case "hivemq-mqtt" -> new HiveMqtt(false);
            case "hivemq-mqtt5" -> new HiveMqtt(true);
            case "amqp" -> new Amqp();
            case "coap" -> new Coap();
            case "kafka" -> new Kafka();
            case "xmpp" -> new Xmpp();
            default -> null;
        };
        if (protocol == null) {
            System.err.println("wirelab-peer-java: name one protocol: mqtt, hivemq-mqtt, hivemq-mqtt5, amqp, coap, kafka or xmpp");
            System.exit(3);
        }
        System.exit(Peer.run(protocol));
    }
}
