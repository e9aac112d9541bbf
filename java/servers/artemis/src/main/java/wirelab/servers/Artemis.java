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

/** Apache ActiveMQ Artemis, without persistence: MQTT over TCP, TLS and WebSocket, AMQP 1.0 over TCP and TLS. */
public final class Artemis {
    /** Beyond it messages are paged to the folder; the heap is twice that. */
    private static final long MEMORY_BYTES = 512L << 20;
    private static final int RECEIVE_MAXIMUM = 65_535;
    /** MQTT's own largest packet (5.0, 1.5.5); the default of a WebSocket frame, 64 KiB, closes the connection of whoever sends more. */
    private static final int WEB_FRAME_BYTES = 268_435_456;
    private static final int CREDITS = 1_000;
    private static final int MAX_DELIVERY_ATTEMPTS = 10;

    private Artemis() {}

    public static void main(String[] words) {
        Embedded.runBroker(words, "mqtt", Artemis::start);
    }

    private static Embedded.Running start(InetSocketAddress address, Map<String, String> options) throws Exception {
        Embedded.needTcp(address);
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
        // Each subscriber gets every message: both protocols here publish to topics.
        config.addAddressSetting("#", new AddressSettings()
                .setDefaultAddressRoutingType(RoutingType.MULTICAST)
                .setDefaultQueueRoutingType(RoutingType.MULTICAST)
                .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE)
                .setMaxDeliveryAttempts(MAX_DELIVERY_ATTEMPTS));
        config.addAcceptorConfiguration(acceptor(address, options, data));
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ().setConfiguration(config);
        broker.start();
        return new Embedded.Running("artemis", Embedded.version(EmbeddedActiveMQ.class), limits(options), broker::stop,
                () -> waiting(broker));
    }

    private static TransportConfiguration acceptor(InetSocketAddress address, Map<String, String> options, Path data)
            throws Exception {
        boolean isMqtt = options.get("protocol").startsWith("mqtt");
        Map<String, Object> accepts = new HashMap<>();
        accepts.put("host", address.getHostString());
        accepts.put("port", address.getPort());
        accepts.put("protocols", isMqtt ? "MQTT" : "AMQP");
        accepts.put("webSocketMaxFramePayloadLength", WEB_FRAME_BYTES);
        if (!options.get("certificate").isEmpty()) {
            Path store = KeyStores.pkcs12(Path.of(options.get("certificate")), Path.of(options.get("key")), data);
            accepts.put("sslEnabled", true);
            accepts.put("enabledProtocols", "TLSv1.3");
            accepts.put("keyStoreType", "PKCS12");
            accepts.put("keyStorePath", store.toString());
            accepts.put("keyStorePassword", KeyStores.PASSWORD);
        }
        Map<String, Object> ofProtocol = new HashMap<>();
        if (isMqtt) {
            ofProtocol.put("receiveMaximum", RECEIVE_MAXIMUM);
            ofProtocol.put("defaultMaximumInFlightPublishMessages", RECEIVE_MAXIMUM);
        } else {
            ofProtocol.put("amqpCredits", CREDITS);
        }
        return new TransportConfiguration(NettyAcceptorFactory.class.getName(), accepts, "peers", ofProtocol);
    }

    /** Messages in all queues but its own, those that are not yet acknowledged as well. */
    private static long waiting(EmbeddedActiveMQ broker) {
        return broker.getActiveMQServer().getPostOffice().getAllBindings()
                .filter(LocalQueueBinding.class::isInstance).map(binding -> ((LocalQueueBinding) binding).getQueue())
                .filter(queue -> !queue.isInternalQueue()).mapToLong(Queue::getMessageCount).sum();
    }

    private static Map<String, Object> limits(Map<String, String> options) {
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
