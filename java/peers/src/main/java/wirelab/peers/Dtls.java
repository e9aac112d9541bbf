package wirelab.peers;

import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Token;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.elements.AddressEndpointContext;
import org.eclipse.californium.elements.config.CertificateAuthenticationMode;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.scandium.DTLSConnector;
import org.eclipse.californium.scandium.config.DtlsConfig;
import org.eclipse.californium.scandium.config.DtlsConnectorConfig;
import org.eclipse.californium.scandium.dtls.CertificateType;
import org.eclipse.californium.scandium.dtls.x509.SingleCertificateProvider;
import org.eclipse.californium.scandium.dtls.x509.StaticNewAdvancedCertificateVerifier;

/** DTLS 1.2 for Californium, through Scandium. */
final class Dtls {
    static final Map<String, String> OPTIONS = Map.of("authority", "", "certificate", "", "key", "", "transport", "udp");

    private static final int REFUSAL_WAIT_MS = 100;

    private Dtls() {}

    /** Throws a fatal fault unless the transport is udp or dtls. */
    static boolean isEnabled(Setup setup) throws Fault {
        return setup.isAlternative("transport", "udp", "dtls");
    }

    /**
     * A server's connector if `local` names a port, else a client's. Throws a fatal fault that
     * names a file.
     */
    static DTLSConnector createConnector(Configuration config, InetSocketAddress local, Setup setup) throws Fault {
        return local.getPort() == 0 ? createClient(config, local, setup) : createServer(config, local, setup);
    }

    /**
     * A client trusts the one authority that the option `authority` names. Throws a fatal fault
     * that names the file.
     */
    private static DTLSConnector createClient(Configuration config, InetSocketAddress local, Setup setup) throws Fault {
        config.set(DtlsConfig.DTLS_ROLE, DtlsConfig.DtlsRole.CLIENT_ONLY);
        Certificate authority = readCertificate(setup, "authority");
        return new DTLSConnector(DtlsConnectorConfig.builder(useSingleThreads(config)).setAddress(local)
                .setAdvancedCertificateVerifier(
                        StaticNewAdvancedCertificateVerifier.builder().setTrustedCertificates(authority).build())
                .build());
    }

    /**
     * A server has the certificate and key that the options name. Clients need none. Throws a fatal
     * fault that names the file.
     */
    private static DTLSConnector createServer(Configuration config, InetSocketAddress local, Setup setup) throws Fault {
        config.set(DtlsConfig.DTLS_ROLE, DtlsConfig.DtlsRole.SERVER_ONLY);
        config.set(DtlsConfig.DTLS_CLIENT_AUTHENTICATION_MODE, CertificateAuthenticationMode.NONE);
        Certificate[] chain = {readCertificate(setup, "certificate")};
        return new DTLSConnector(DtlsConnectorConfig.builder(useSingleThreads(config)).setAddress(local)
                .setCertificateIdentityProvider(new SingleCertificateProvider(readKey(setup), chain, CertificateType.X_509))
                .build());
    }

    /** Several threads would reorder messages. */
    private static Configuration useSingleThreads(Configuration config) {
        config.set(DtlsConfig.DTLS_RECEIVER_THREAD_COUNT, 1);
        config.set(DtlsConfig.DTLS_CONNECTOR_THREAD_COUNT, 1);
        return config;
    }

    /**
     * Complete the handshake and ping the server (RFC 7252, 4.3). Throws a fatal fault if it does
     * not answer.
     */
    static void checkReachable(CoapEndpoint endpoint, Setup setup) throws Fault, InterruptedException {
        Request ping = Request.newPing();
        ping.setToken(Token.EMPTY);
        ping.setDestinationContext(new AddressEndpointContext(new InetSocketAddress(setup.address(), setup.port())));
        AtomicReference<Fault> refused = new AtomicReference<>();
        Thread refusalCheck = new Thread(() -> {
            try {
                // A DTLS server ignores this ping. A closed port answers it with an ICMP error.
                CoapPing.ping(setup, setup.timeoutMs());
            } catch (Fault fault) {
                refused.set(fault);
                ping.cancel();
            }
        }, "refused");
        refusalCheck.setDaemon(true);
        refusalCheck.start();
        endpoint.sendRequest(ping);
        ping.waitForResponse(setup.timeoutMs());
        if (ping.isRejected()) {
            return;
        }
        // At a closed port the library may report the failed handshake before the refusal arrives.
        refusalCheck.join(REFUSAL_WAIT_MS);
        endpoint.destroy();
        if (refused.get() != null) {
            throw refused.get();
        }
        Throwable error = ping.getSendError();
        throw error == null ? setup.timeoutFault() : Fault.fatal("connect " + setup.server(), error.getMessage());
    }

    private static Certificate readCertificate(Setup setup, String option) throws Fault {
        try (InputStream file = Files.newInputStream(Path.of(setup.getText(option)))) {
            return CertificateFactory.getInstance("X.509").generateCertificate(file);
        } catch (Exception e) {
            throw Fault.fatal(option + " \"" + setup.getText(option) + "\"", e);
        }
    }

    /** An elliptic-curve key (PKCS #8) in PEM. */
    private static PrivateKey readKey(Setup setup) throws Fault {
        try {
            String base64 = Files.readString(Path.of(setup.getText("key"))).replaceAll("-----[A-Z ]+-----|\\s", "");
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
        } catch (Exception e) {
            throw Fault.fatal("key \"" + setup.getText("key") + "\"", e);
        }
    }
}
