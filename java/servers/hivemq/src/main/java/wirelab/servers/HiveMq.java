package wirelab.servers;

import com.hivemq.configuration.service.InternalConfigurations;
import com.hivemq.embedded.EmbeddedHiveMQ;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;

/** HiveMQ Community Edition with in-memory persistence: MQTT over TCP, TLS and WebSocket. */
public final class HiveMq {
    /**
     * With the default of 1,000 messages per client the broker drops messages that it has
     * acknowledged.
     */
    private static final int MAX_QUEUED = 1_000_000;
    private static final int RECEIVE_MAXIMUM = 65_535;
    private static final int PACKET_BYTES = 268_435_460;
    private static final int QOS_0_BYTES = 256 << 20;

    private HiveMq() {}

    public static void main(String[] words) {
        EmbeddedServer.runBroker(words, "mqtt", HiveMq::start);
    }

    private static EmbeddedServer.Running start(InetSocketAddress address, Map<String, String> options) throws Exception {
        EmbeddedServer.requireFreeTcpPort(address);
        Path data = Path.of(options.get("data"));
        Path configuration = Files.createDirectories(data.resolve("conf"));
        Files.writeString(configuration.resolve("config.xml"), formatConfiguration(address, options, data));
        EmbeddedHiveMQ broker = EmbeddedHiveMQ.builder()
                .withConfigurationFolder(configuration)
                .withDataFolder(Files.createDirectories(data.resolve("data")))
                .withExtensionsFolder(Files.createDirectories(data.resolve("extensions")))
                .build();
        InternalConfigurations.QOS_0_MEMORY_LIMIT_PER_CLIENT_BYTES.set(QOS_0_BYTES);
        broker.start().join();
        Map<String, Object> limits = Map.of("max_queue_size", MAX_QUEUED, "receive_maximum", RECEIVE_MAXIMUM,
                "inflight_window", InternalConfigurations.MAX_INFLIGHT_WINDOW_SIZE_MESSAGES, "max_packet_size", PACKET_BYTES,
                "qos_0_bytes_per_client", QOS_0_BYTES, "persistence", "in-memory");
        // No clean shutdown: it takes 4 s, and data in memory does not need it.
        return new EmbeddedServer.Running("hivemq", EmbeddedServer.findVersion(EmbeddedHiveMQ.class), limits, () -> { });
    }

    private static String formatConfiguration(InetSocketAddress address, Map<String, String> options, Path data)
            throws GeneralSecurityException, IOException {
        String transport = options.get("transport");
        boolean isEncrypted = !options.get("certificate").isEmpty();
        String kind = switch (transport) {
            case "tls" -> "tls-tcp";
            case "ws" -> "websocket";
            case "wss" -> "tls-websocket";
            default -> "tcp";
        };
        String web = transport.startsWith("ws")
                ? "<path>/mqtt</path><subprotocols><subprotocol>mqtt</subprotocol></subprotocols>" : "";
        String tls = isEncrypted ? formatTls(KeyStores.writePkcs12(Path.of(options.get("certificate")), Path.of(options.get("key")), data)) : "";
        return """
                <hivemq>
                  <listeners><%1$s-listener>
                    <port>%2$d</port><bind-address>%3$s</bind-address>%4$s%5$s
                  </%1$s-listener></listeners>
                  <mqtt>
                    <queued-messages><max-queue-size>%6$d</max-queue-size></queued-messages>
                    <packets><max-packet-size>%7$d</max-packet-size></packets>
                    <receive-maximum><server-receive-maximum>%8$d</server-receive-maximum></receive-maximum>
                  </mqtt>
                  <anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics>
                  <persistence><mode>in-memory</mode></persistence>
                </hivemq>
                """.formatted(kind, address.getPort(), address.getHostString(), web, tls, MAX_QUEUED, PACKET_BYTES, RECEIVE_MAXIMUM);
    }

    private static String formatTls(Path store) {
        return """
                <tls><keystore>
                  <path>%1$s</path><password>%2$s</password><private-key-password>%2$s</private-key-password>
                </keystore><protocols><protocol>TLSv1.3</protocol></protocols></tls>
                """.formatted(store, KeyStores.PASSWORD);
    }
}
