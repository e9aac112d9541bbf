package wirelab.peers;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** User name and password of an MQTT client. */
record Credentials(String user, String password) {
    /** Empty without a user. Throws a fatal fault for a password without a user. */
    static Optional<Credentials> of(Setup setup) throws Fault {
        Credentials credentials = new Credentials(setup.getText("user"), setup.getText("password"));
        if (!credentials.user.isEmpty()) {
            return Optional.of(credentials);
        }
        if (!credentials.password.isEmpty()) {
            throw Fault.fatal("option password", "give a user as well");
        }
        return Optional.empty();
    }

    byte[] encodePassword() {
        return password.getBytes(StandardCharsets.UTF_8);
    }
}
