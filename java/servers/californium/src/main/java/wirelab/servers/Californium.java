package wirelab.servers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.californium.core.CoapServer;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.network.Exchange;
import org.eclipse.californium.core.server.ServerMessageDeliverer;
import org.eclipse.californium.core.server.resources.Resource;
import org.eclipse.californium.elements.config.CertificateAuthenticationMode;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.elements.config.UdpConfig;
import org.eclipse.californium.scandium.DTLSConnector;
import org.eclipse.californium.scandium.config.DtlsConfig;
import org.eclipse.californium.scandium.config.DtlsConnectorConfig;
import org.eclipse.californium.scandium.dtls.CertificateType;
import org.eclipse.californium.scandium.dtls.x509.SingleCertificateProvider;

/**
 * Eclipse Californium. Every path is an observable resource; with `--script`, a responder answers
 * on every path.
 */
public final class Californium {
    private static final int MAX_BODY = 8 << 20;
    private static final int RECEIVE_BUFFER = 8 << 20;

    private Californium() {}

    public static void main(String[] words) {
        Map<String, String> defaults = Map.of("script", "", "protocol", "coap", "transport", "", "data", "", "certificate", "", "key", "");
        EmbeddedServer.run(words, defaults, Californium::start);
    }

    private static EmbeddedServer.Running start(InetSocketAddress address, Map<String, String> options) throws Exception {
        String script = options.get("script");
        Resource responderResource = script.isEmpty() ? null : new ResponderResource(Script.parse(script));
        EmbeddedServer.requireFreeUdpPort(address);
        Configuration config = createConfiguration();
        CoapServer server = new CoapServer(config);
        CoapEndpoint.Builder endpoint = new CoapEndpoint.Builder().setConfiguration(config);
        if (options.get("transport").equals("dtls")) {
            endpoint.setConnector(createDtlsConnector(config, address, options));
        } else {
            endpoint.setInetSocketAddress(address);
        }
        server.addEndpoint(endpoint.build());
        server.setMessageDeliverer(new AnyPathDeliverer(config, server.getRoot(), responderResource));
        server.start();
        return new EmbeddedServer.Running("californium", EmbeddedServer.findVersion(CoapServer.class), listLimits(config), server::destroy);
    }

    /** DTLS 1.2 through Scandium. Clients need no certificate. */
    private static DTLSConnector createDtlsConnector(Configuration config, InetSocketAddress address, Map<String, String> options)
            throws GeneralSecurityException, IOException {
        config.set(DtlsConfig.DTLS_ROLE, DtlsConfig.DtlsRole.SERVER_ONLY);
        config.set(DtlsConfig.DTLS_CLIENT_AUTHENTICATION_MODE, CertificateAuthenticationMode.NONE);
        config.set(DtlsConfig.DTLS_RECEIVE_BUFFER_SIZE, RECEIVE_BUFFER);
        // As for the protocol stage: several threads would reorder messages.
        config.set(DtlsConfig.DTLS_RECEIVER_THREAD_COUNT, 1);
        config.set(DtlsConfig.DTLS_CONNECTOR_THREAD_COUNT, 1);
        Path file = KeyStores.writePkcs12(Path.of(options.get("certificate")), Path.of(options.get("key")), Path.of(options.get("data")));
        KeyStore store = KeyStore.getInstance(file.toFile(), KeyStores.PASSWORD.toCharArray());
        PrivateKey key = (PrivateKey) store.getKey("server", KeyStores.PASSWORD.toCharArray());
        return new DTLSConnector(DtlsConnectorConfig.builder(config).setAddress(address)
                .setCertificateIdentityProvider(
                        new SingleCertificateProvider(key, store.getCertificateChain("server"), CertificateType.X_509))
                .build());
    }

    private static Configuration createConfiguration() {
        CoapConfig.register();
        DtlsConfig.register();
        UdpConfig.register();
        Configuration config = Configuration.createStandardWithoutFile();
        config.set(CoapConfig.MAX_RESOURCE_BODY_SIZE, MAX_BODY);
        config.set(CoapConfig.PREFERRED_BLOCK_SIZE, 1024);
        config.set(CoapConfig.MAX_MESSAGE_SIZE, 1024);
        // The tracker of message IDs limits the rate to about 265 notifications/s: an ID is reused
        // after EXCHANGE_LIFETIME only.
        config.set(CoapConfig.MID_TRACKER, CoapConfig.TrackerMode.NULL);
        // Several threads would reorder updates.
        config.set(CoapConfig.PROTOCOL_STAGE_THREAD_COUNT, 1);
        // NON notifications stay NON except one in 24 h (RFC 7641, 4.5). The library's default is
        // one in 100.
        config.set(CoapConfig.NOTIFICATION_CHECK_INTERVAL_COUNT, Integer.MAX_VALUE);
        config.set(CoapConfig.NOTIFICATION_CHECK_INTERVAL_TIME, 24L, TimeUnit.HOURS);
        config.set(UdpConfig.UDP_RECEIVE_BUFFER_SIZE, RECEIVE_BUFFER);
        return config;
    }

    private static Map<String, Object> listLimits(Configuration config) {
        Map<String, Object> limits = new TreeMap<>();
        limits.put("ack_timeout_ms", config.get(CoapConfig.ACK_TIMEOUT, TimeUnit.MILLISECONDS));
        limits.put("ack_random_factor", config.get(CoapConfig.ACK_INIT_RANDOM));
        limits.put("max_retransmit", config.get(CoapConfig.MAX_RETRANSMIT));
        limits.put("nstart", 1);
        limits.put("block_size", config.get(CoapConfig.PREFERRED_BLOCK_SIZE));
        limits.put("max_message_bytes", config.get(CoapConfig.MAX_RESOURCE_BODY_SIZE));
        limits.put("max_active_peers", config.get(CoapConfig.MAX_ACTIVE_PEERS));
        limits.put("exchange_lifetime_ms", config.get(CoapConfig.EXCHANGE_LIFETIME, TimeUnit.MILLISECONDS));
        limits.put("protocol_threads", config.get(CoapConfig.PROTOCOL_STAGE_THREAD_COUNT));
        limits.put("queue_updates_per_observer", ObservableResource.MAX_QUEUED);
        limits.put("receive_buffer_bytes", config.get(UdpConfig.UDP_RECEIVE_BUFFER_SIZE));
        return limits;
    }

    /** Has a resource at every path: the responder's, or an observable one created on first use. */
    private static final class AnyPathDeliverer extends ServerMessageDeliverer {
        private final Map<List<String>, Resource> observables = new ConcurrentHashMap<>();
        private final Resource responderResource;

        private AnyPathDeliverer(Configuration config, Resource root, Resource responderResource) {
            super(root, config);
            this.responderResource = responderResource;
        }

        @Override
        protected Resource findResource(Exchange exchange) {
            List<String> path = exchange.getRequest().getOptions().getUriPath();
            return responderResource != null
                    ? responderResource
                    : observables.computeIfAbsent(path, key -> new ObservableResource());
        }
    }
}
