package wirelab.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/** Converts a server's certificate and key to PKCS #12, which all JVM servers read. */
public final class KeyStores {
    /** Not a secret: certificate and key exist for one trial only. */
    public static final String PASSWORD = "wirelab";

    private KeyStores() {}

    /**
     * Write a certificate and an elliptic-curve key (PKCS #8), both in PEM, to a PKCS #12 file in
     * `folder`.
     */
    public static Path writePkcs12(Path certificate, Path key, Path folder) throws GeneralSecurityException, IOException {
        Certificate parsed;
        try (InputStream in = Files.newInputStream(certificate)) {
            parsed = CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
        String base64 = Files.readString(key).replaceAll("-----[A-Z ]+-----|\\s", "");
        PrivateKey secret = KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("server", secret, PASSWORD.toCharArray(), new Certificate[] {parsed});
        Path file = folder.resolve("server.p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
        return file;
    }
}
