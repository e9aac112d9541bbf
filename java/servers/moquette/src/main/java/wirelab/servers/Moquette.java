package wirelab.servers;

import io.moquette.broker.Server;
import io.moquette.broker.config.IConfig;
import io.moquette.broker.config.MemoryConfig;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Properties;

/** Moquette without persistence: MQTT 3.1.1 over TCP. */
public final class Moquette {
    /**
     * With the default of 1,024 commands the broker closes connections that send faster than it
     * works.
     */
    private static final int SESSION_QUEUE = 1 << 20;
    /** The default is 8,092 bytes. */
    private static final int MESSAGE_BYTES = 268_435_455;

    private Moquette() {}

    public static void main(String[] words) {
        EmbeddedServer.runBroker(words, "mqtt", Moquette::start);
    }

    private static EmbeddedServer.Running start(InetSocketAddress address, Map<String, String> options) throws Exception {
        EmbeddedServer.requireFreeTcpPort(address);
        Properties settings = new Properties();
        settings.setProperty(IConfig.HOST_PROPERTY_NAME, address.getHostString());
        settings.setProperty(IConfig.PORT_PROPERTY_NAME, Integer.toString(address.getPort()));
        settings.setProperty(IConfig.WEB_SOCKET_PORT_PROPERTY_NAME, "disabled");
        settings.setProperty(IConfig.ALLOW_ANONYMOUS_PROPERTY_NAME, "true");
        settings.setProperty(IConfig.PERSISTENCE_ENABLED_PROPERTY_NAME, "false");
        settings.setProperty(IConfig.DATA_PATH_PROPERTY_NAME, options.get("data"));
        settings.setProperty(IConfig.ENABLE_TELEMETRY_NAME, "false");
        settings.setProperty(IConfig.BUFFER_FLUSH_MS_PROPERTY_NAME, "0");
        settings.setProperty(IConfig.SESSION_QUEUE_SIZE, Integer.toString(SESSION_QUEUE));
        settings.setProperty(IConfig.NETTY_MAX_BYTES_PROPERTY_NAME, Integer.toString(MESSAGE_BYTES));
        Server broker = new Server();
        broker.startServer(new MemoryConfig(settings));
        Map<String, Object> limits = Map.of("session_queue_size", SESSION_QUEUE, "netty.mqtt.message_size", MESSAGE_BYTES,
                "persistence", "in-memory");
        return new EmbeddedServer.Running("moquette", EmbeddedServer.findVersion(Server.class), limits, broker::stopServer);
    }
}
