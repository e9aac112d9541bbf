package wirelab.peers;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Who a client of MQTT says it is. */
record Login(String user, String password) {
    /** Where a user is given. Throws a fatal fault for a password without one. */
    static Optional<Login> of(Setup setup) throws Fault {
        Login login = new Login(setup.text("user"), setup.text("password"));
        if (!login.user.isEmpty()) {
            return Optional.of(login);
        }
        if (!login.password.isEmpty()) {
            throw Fault.fatal("option password", "give a user as well");
        }
        return Optional.empty();
    }

    byte[] secret() {
        return password.getBytes(StandardCharsets.UTF_8);
    }
}
