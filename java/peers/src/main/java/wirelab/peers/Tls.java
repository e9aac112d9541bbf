package wirelab.peers;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS 1.3 with one trusted authority, which an option names. */
final class Tls {
    private Tls() {}

    /** Throws a fatal fault that names the file. */
    static SSLContext createContext(String authority) throws Fault {
        TrustManagerFactory managers = createTrustManagers(authority);
        try {
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (Exception e) {
            throw Fault.fatal("authority \"" + authority + "\"", e);
        }
    }

    /** Throws a fatal fault that names the file. */
    static TrustManagerFactory createTrustManagers(String authority) throws Fault {
        try (InputStream file = Files.newInputStream(Path.of(authority))) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null);
            int number = 0;
            for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                trusted.setCertificateEntry("authority-" + number++, one);
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            return managers;
        } catch (Exception e) {
            throw Fault.fatal("authority \"" + authority + "\"", e);
        }
    }

    /**
     * The cause of a failed connection. For certificate errors the JDK's innermost message does not
     * name the certificate; this adds it.
     */
    static Throwable explainDistrust(Throwable cause) {
        boolean isDistrust = false;
        Throwable inner = cause;
        while (true) {
            isDistrust |= inner instanceof CertificateException;
            if (inner.getCause() == null || inner.getCause() == inner) {
                break;
            }
            inner = inner.getCause();
        }
        String what = inner instanceof CertificateExpiredException ? "has expired: " : "is refused: ";
        return isDistrust ? new CertificateException("the server's certificate " + what + inner.getMessage()) : cause;
    }
}
