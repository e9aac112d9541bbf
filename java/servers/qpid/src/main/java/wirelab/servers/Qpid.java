package wirelab.servers;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.SystemLauncherListener.DefaultSystemLauncherListener;
import org.apache.qpid.server.model.Broker;
import org.apache.qpid.server.model.BrokerModel;
import org.apache.qpid.server.model.Queue;
import org.apache.qpid.server.model.SystemConfig;
import org.apache.qpid.server.model.VirtualHostNode;

/** Apache Qpid Broker-J with in-memory stores: AMQP 0-9-1 and AMQP 1.0 over TCP and TLS. */
public final class Qpid {
    /** The default, 500 MiB, exceeds the direct memory of this JVM. */
    private static final int MAX_MESSAGE = 128 << 20;
    /**
     * The default, 16,384 frames, is used up in a flood; fe2o3-amqp then sends a link's detach
     * before its pending messages.
     */
    private static final int SESSION_WINDOW = 1_000_000;

    private Qpid() {}

    public static void main(String[] words) {
        EmbeddedServer.runBroker(words, "amqp", Qpid::start);
    }

    private static EmbeddedServer.Running start(InetSocketAddress address, Map<String, String> options) throws Exception {
        EmbeddedServer.requireFreeTcpPort(address);
        Path data = Path.of(options.get("data"));
        System.setProperty("qpid.work_dir", data.toString());
        Path configuration = Files.writeString(data.resolve("config.json"), formatConfiguration(address, options, data));
        ConfigurationListener listener = new ConfigurationListener();
        SystemLauncher launcher = new SystemLauncher(listener);
        launcher.startup(Map.of(SystemConfig.TYPE, "Memory",
                SystemConfig.INITIAL_CONFIGURATION_LOCATION, configuration.toUri().toURL().toExternalForm(),
                SystemConfig.STARTUP_LOGGED_TO_SYSTEM_OUT, "false"));
        Map<String, Object> limits = new HashMap<>();
        limits.put("max_message_bytes", MAX_MESSAGE);
        if (options.get("protocol").equals("amqp10")) {
            limits.put("session_window_frames", SESSION_WINDOW);
        }
        limits.put("direct_memory_bytes", Runtime.getRuntime().maxMemory());
        limits.put("persistence", "false");
        return new EmbeddedServer.Running("qpid", EmbeddedServer.findVersion(SystemLauncher.class), limits, launcher::shutdown, listener::countQueued);
    }

    /** Keeps the broker's configuration, which gives access to its queues. */
    private static final class ConfigurationListener extends DefaultSystemLauncherListener {
        private volatile SystemConfig<?> system;

        @Override
        public void onContainerResolve(SystemConfig<?> resolved) {
            system = resolved;
        }

        /** Messages in all queues, including messages that are delivered but not acknowledged. */
        private long countQueued() {
            long messages = 0;
            Broker<?> broker = (Broker<?>) system.getContainer();
            for (VirtualHostNode<?> node : broker.getVirtualHostNodes()) {
                for (Queue<?> queue : node.getVirtualHost().getChildren(Queue.class)) {
                    messages += queue.getQueueDepthMessages();
                }
            }
            return messages;
        }
    }

    /**
     * The broker's configuration: one port, one account, and one virtual host for every requested
     * name.
     */
    private static String formatConfiguration(InetSocketAddress address, Map<String, String> options, Path data) throws Exception {
        boolean isEncrypted = !options.get("certificate").isEmpty();
        String store = "";
        if (isEncrypted) {
            Path file = KeyStores.writePkcs12(Path.of(options.get("certificate")), Path.of(options.get("key")), data);
            store = """
                    "keystores": [{"name": "own", "type": "FileKeyStore", "keyStoreType": "PKCS12", "storeUrl": "%s", "password": "%s"}],
                    """.formatted(file, KeyStores.PASSWORD);
        }
        return """
                {
                  "name": "wirelab", "modelVersion": "%s",
                  "context": {
                    "qpid.max_message_size": "%d", "connection.sessionCreditWindowSize": "%d", "qpid.port.closeWhenNoRoute": "false"
                  },
                  "authenticationproviders": [{
                    "name": "plain", "type": "Plain", "secureOnlyMechanisms": [],
                    "users": [{"name": "guest", "type": "managed", "password": "guest"}]
                  }],
                  %s
                  "ports": [{
                    "name": "peers", "type": "AMQP", "bindingAddress": "%s", "port": "%d", "authenticationProvider": "plain",
                    "protocols": ["%s"], "transports": ["%s"]%s,
                    "virtualhostaliases": [{"name": "any", "type": "patternMatchingAlias", "pattern": ".*", "virtualHostNode": "default"}]
                  }],
                  "virtualhostnodes": [{
                    "name": "default", "type": "Memory", "defaultVirtualHostNode": "true",
                    "virtualHostInitialConfiguration": "{\\"type\\": \\"Memory\\"}"
                  }]
                }
                """.formatted(BrokerModel.MODEL_VERSION, MAX_MESSAGE, SESSION_WINDOW, store, address.getHostString(), address.getPort(),
                options.get("protocol").equals("amqp10") ? "AMQP_1_0" : "AMQP_0_9_1",
                isEncrypted ? "SSL" : "TCP", isEncrypted ? ", \"keyStore\": \"own\"" : "");
    }
}
