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

/** DTLS 1.2 by Scandium, beneath Californium. */
final class Dtls {
    static final Map<String, String> OPTIONS = Map.of("authority", "", "certificate", "", "key", "", "transport", "udp");

    private static final int LISTEN_MS = 100;

    private Dtls() {}

    /** Throws a fatal fault, unless the transport is udp or dtls. */
    static boolean isWanted(Setup setup) throws Fault {
        return setup.isOther("transport", "udp", "dtls");
    }

    /** A responder's where it has an address of its own, else a client's. Throws a fatal fault that names a file. */
    static DTLSConnector connector(Configuration config, InetSocketAddress own, Setup setup) throws Fault {
        return own.getPort() == 0 ? trusting(config, own, setup) : showing(config, own, setup);
    }

    /** A client's, which trusts the one authority an option names. Throws a fatal fault that names the file. */
    private static DTLSConnector trusting(Configuration config, InetSocketAddress own, Setup setup) throws Fault {
        config.set(DtlsConfig.DTLS_ROLE, DtlsConfig.DtlsRole.CLIENT_ONLY);
        Certificate authority = certificate(setup, "authority");
        return new DTLSConnector(DtlsConnectorConfig.builder(few(config)).setAddress(own)
                .setAdvancedCertificateVerifier(
                        StaticNewAdvancedCertificateVerifier.builder().setTrustedCertificates(authority).build())
                .build());
    }

    /** A responder's, with the certificate and key that options name. Clients need none. Throws a fatal fault that names the file. */
    private static DTLSConnector showing(Configuration config, InetSocketAddress own, Setup setup) throws Fault {
        config.set(DtlsConfig.DTLS_ROLE, DtlsConfig.DtlsRole.SERVER_ONLY);
        config.set(DtlsConfig.DTLS_CLIENT_AUTHENTICATION_MODE, CertificateAuthenticationMode.NONE);
        Certificate[] chain = {certificate(setup, "certificate")};
        return new DTLSConnector(DtlsConnectorConfig.builder(few(config)).setAddress(own)
                .setCertificateIdentityProvider(new SingleCertificateProvider(key(setup), chain, CertificateType.X_509))
                .build());
    }

    /** Of several threads one would overtake another. */
    private static Configuration few(Configuration config) {
        config.set(DtlsConfig.DTLS_RECEIVER_THREAD_COUNT, 1);
        config.set(DtlsConfig.DTLS_CONNECTOR_THREAD_COUNT, 1);
        return config;
    }

    /** Shake hands with the server, and ask whether it is there (RFC 7252, 4.3). Throws the fault to tell. */
    static void probe(CoapEndpoint endpoint, Setup setup) throws Fault, InterruptedException {
        Request ping = Request.newPing();
        ping.setToken(Token.EMPTY);
        ping.setDestinationContext(new AddressEndpointContext(new InetSocketAddress(setup.address(), setup.port())));
        AtomicReference<Fault> refused = new AtomicReference<>();
        Thread listening = new Thread(() -> {
            try {
                // No DTLS server answers it: a port that nobody listens on does.
                CoapPing.ping(setup, setup.timeoutMs());
            } catch (Fault fault) {
                refused.set(fault);
                ping.cancel();
            }
        }, "refused");
        listening.setDaemon(true);
        listening.start();
        endpoint.sendRequest(ping);
        ping.waitForResponse(setup.timeoutMs());
        if (ping.isRejected()) {
            return;
        }
        // Where nobody listens, the library may say first that its handshake failed.
        listening.join(LISTEN_MS);
        endpoint.destroy();
        if (refused.get() != null) {
            throw refused.get();
        }
        Throwable error = ping.getSendError();
        throw error == null ? setup.timedOut() : Fault.fatal("connect " + setup.server(), error.getMessage());
    }

    private static Certificate certificate(Setup setup, String option) throws Fault {
        try (InputStream file = Files.newInputStream(Path.of(setup.text(option)))) {
            return CertificateFactory.getInstance("X.509").generateCertificate(file);
        } catch (Exception e) {
            throw Fault.fatal(option + " \"" + setup.text(option) + "\"", e);
        }
    }

    /** An elliptic curve's key (PKCS #8), in PEM. */
    private static PrivateKey key(Setup setup) throws Fault {
        try {
            String base64 = Files.readString(Path.of(setup.text("key"))).replaceAll("-----[A-Z ]+-----|\\s", "");
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
        } catch (Exception e) {
            throw Fault.fatal("key \"" + setup.text("key") + "\"", e);
        }
    }
}
