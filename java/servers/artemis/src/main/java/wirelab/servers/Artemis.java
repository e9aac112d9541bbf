package wirelab.servers;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.postoffice.impl.LocalQueueBinding;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

/**
 * Apache ActiveMQ Artemis, without persistence: MQTT over TCP, TLS and WebSocket, AMQP 1.0 over TCP
 * and TLS.
 */
public final class Artemis {
    /** Above this size, messages are paged to the data folder. The heap is twice as large. */
    private static final long MEMORY_BYTES = 512L << 20;
    private static final int RECEIVE_MAXIMUM = 65_535;
    /**
     * Largest MQTT packet (5.0, 1.5.5). With the default limit of 64 KiB per WebSocket frame,
     * larger messages close the connection.
     */
    private static final int WEB_FRAME_BYTES = 268_435_456;
    private static final int CREDITS = 1_000;
    private static final int MAX_DELIVERY_ATTEMPTS = 10;

    private Artemis() {}

    public static void main(String[] words) {
        EmbeddedServer.runBroker(words, "mqtt", Artemis::start);
    }

    private static EmbeddedServer.Running start(InetSocketAddress address, Map<String, String> options) throws Exception {
        EmbeddedServer.requireFreeTcpPort(address);
        Path data = Path.of(options.get("data"));
        Configuration config = new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .setJMXManagementEnabled(false)
                .setGlobalMaxSize(MEMORY_BYTES)
                .setBindingsDirectory(data.resolve("bindings").toString())
                .setJournalDirectory(data.resolve("journal").toString())
                .setLargeMessagesDirectory(data.resolve("large").toString())
                .setPagingDirectory(data.resolve("paging").toString());
        // Multicast: both protocols publish to topics, so each subscriber gets every message.
        config.addAddressSetting("#", new AddressSettings()
                .setDefaultAddressRoutingType(RoutingType.MULTICAST)
                .setDefaultQueueRoutingType(RoutingType.MULTICAST)
                .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE)
                .setMaxDeliveryAttempts(MAX_DELIVERY_ATTEMPTS));
        config.addAcceptorConfiguration(createAcceptor(address, options, data));
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ().setConfiguration(config);
        broker.start();
        return new EmbeddedServer.Running("artemis", EmbeddedServer.findVersion(EmbeddedActiveMQ.class), listLimits(options), broker::stop,
                () -> countQueued(broker));
    }

    private static TransportConfiguration createAcceptor(InetSocketAddress address, Map<String, String> options, Path data)
            throws Exception {
        boolean isMqtt = options.get("protocol").startsWith("mqtt");
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("host", address.getHostString());
        parameters.put("port", address.getPort());
        parameters.put("protocols", isMqtt ? "MQTT" : "AMQP");
        parameters.put("webSocketMaxFramePayloadLength", WEB_FRAME_BYTES);
        if (!options.get("certificate").isEmpty()) {
            Path store = KeyStores.writePkcs12(Path.of(options.get("certificate")), Path.of(options.get("key")), data);
            parameters.put("sslEnabled", true);
            parameters.put("enabledProtocols", "TLSv1.3");
            parameters.put("keyStoreType", "PKCS12");
            parameters.put("keyStorePath", store.toString());
            parameters.put("keyStorePassword", KeyStores.PASSWORD);
        }
        Map<String, Object> protocolParameters = new HashMap<>();
        if (isMqtt) {
            protocolParameters.put("receiveMaximum", RECEIVE_MAXIMUM);
            protocolParameters.put("defaultMaximumInFlightPublishMessages", RECEIVE_MAXIMUM);
        } else {
            protocolParameters.put("amqpCredits", CREDITS);
        }
        return new TransportConfiguration(NettyAcceptorFactory.class.getName(), parameters, "peers", protocolParameters);
    }

    /**
     * Messages in all queues except internal ones, including messages that are delivered but not
     * acknowledged.
     */
    private static long countQueued(EmbeddedActiveMQ broker) {
        return broker.getActiveMQServer().getPostOffice().getAllBindings()
                .filter(LocalQueueBinding.class::isInstance).map(binding -> ((LocalQueueBinding) binding).getQueue())
                .filter(queue -> !queue.isInternalQueue()).mapToLong(Queue::getMessageCount).sum();
    }

    private static Map<String, Object> listLimits(Map<String, String> options) {
        Map<String, Object> limits = new HashMap<>();
        limits.put("global_max_bytes", MEMORY_BYTES);
        limits.put("address_full_policy", "page");
        limits.put("max_delivery_attempts", MAX_DELIVERY_ATTEMPTS);
        limits.put("persistence", "false");
        if (options.get("protocol").startsWith("mqtt")) {
            limits.put("receive_maximum", RECEIVE_MAXIMUM);
            limits.put("websocket_frame_bytes", WEB_FRAME_BYTES);
        } else {
            limits.put("amqp_credits", CREDITS);
        }
        return limits;
    }
}
