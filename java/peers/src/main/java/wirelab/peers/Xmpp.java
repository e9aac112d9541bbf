package wirelab.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.SocketFactory;
import org.jivesoftware.smack.ConnectionConfiguration.SecurityMode;
import org.jivesoftware.smack.ConnectionListener;
import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.filter.StanzaTypeFilter;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.StandardExtensionElement;
import org.jivesoftware.smack.packet.Stanza;
import org.jivesoftware.smack.packet.StanzaBuilder;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jivesoftware.smack.tcp.XMPPTCPConnectionConfiguration;
import org.jxmpp.jid.EntityFullJid;
import org.jxmpp.jid.impl.JidCreate;
import org.jxmpp.jid.parts.Resourcepart;

/** XMPP messages through Smack, from `publisher@domain` to `subscriber@domain/TOPIC`. */
final class Xmpp implements Protocol {
    /** A stanza of 16 MiB, which our servers are given, holds this much as base64. */
    private static final long MAX_MESSAGE = 12_000_000;
    private static final String MANAGED = "managed";
    private static final String BINARY = "urn:wirelab:binary";

    @Override
    public Described describe() {
        return new Described("xmpp-smack", "xmpp", "smack", Versions.of("smack-tcp"),
                List.of(new Level("plain", "at-most-once", false), new Level(MANAGED, "at-least-once", true)),
                true, MAX_MESSAGE, List.of("xmpp"),
                Map.of("authority", "", "body", "auto", "domain", "wirelab.test", "inflight", "1000", "password", "wirelab",
                        "transport", "tcp"));
    }

    @Override
    public Publisher publisher(Setup setup, Outcomes outcomes) throws Exception {
        EntityFullJid to = address(setup);
        Sender sender = new Sender(setup, to, outcomes);
        sender.connection = connected(setup, "publisher", setup.client(), fault -> {
            sender.isBroken = true;
            outcomes.fault(fault);
        }, sender::listen);
        return sender;
    }

    @Override
    public Subscriber subscriber(Setup setup, Inbox inbox) throws Exception {
        EntityFullJid own = address(setup);
        XMPPTCPConnection connection = connected(setup, "subscriber", own.getResourcepart().toString(), inbox::fault,
                made -> made.addSyncStanzaListener(stanza -> {
                    byte[] message = read((Message) stanza);
                    if (message != null) {
                        inbox.deliver(message, false);
                    }
                }, StanzaTypeFilter.MESSAGE));
        if (!connection.getUser().equals(own)) {
            throw Fault.fatal("bind " + own, "the server bound " + connection.getUser());
        }
        return connection::disconnect;
    }

    private static EntityFullJid address(Setup setup) throws Fault {
        try {
            return JidCreate.entityFullFrom("subscriber@" + setup.text("domain") + "/" + setup.topic());
        } catch (IOException e) {
            throw Fault.fatal("option domain", e);
        }
    }

    private static XMPPTCPConnection connected(
            Setup setup, String account, String resource, Consumer<Fault> broken, Consumer<XMPPTCPConnection> listen)
            throws Exception {
        boolean isManaged = setup.qos().equals(MANAGED);
        SocketFactory sockets = switch (setup.text("transport")) {
            case "tcp" -> new Sockets(true);
            case "tls" -> new Sockets(true, Tls.trusting(setup.text("authority")).getSocketFactory());
            default -> throw Fault.fatal("option transport", "\"" + setup.text("transport") + "\" is neither tcp nor tls");
        };
        return setup.within(() -> {
            XMPPTCPConnection connection = new XMPPTCPConnection(XMPPTCPConnectionConfiguration.builder()
                    .setXmppDomain(JidCreate.domainBareFrom(setup.text("domain")))
                    .setHostAddress(InetAddress.getByName(setup.address())).setPort(setup.port())
                    .setUsernameAndPassword(account, setup.text("password"))
                    .setResource(Resourcepart.from(resource))
                    // Where there is TLS, it is there from the first byte (XEP-0368).
                    .setSecurityMode(SecurityMode.disabled).setCompressionEnabled(false)
                    .setConnectTimeout((int) setup.timeoutMs()).setSocketFactory(sockets)
                    .build());
            connection.setReplyTimeout(setup.timeoutMs());
            connection.setUseStreamManagement(isManaged);
            connection.setUseStreamManagementResumption(false);
            listen.accept(connection);
            connection.connect().login();
            if (isManaged && !connection.isSmEnabled()) {
                throw Fault.fatal("connect " + setup.server(), "the server offers no stream management (XEP-0198)");
            }
            connection.addConnectionListener(new ConnectionListener() {
                @Override
                public void connectionClosedOnError(Exception e) {
                    broken.accept(setup.broken(e));
                }
            });
            return connection;
        });
    }

    private static byte[] read(Message message) {
        if (message.getExtensionElement("data", BINARY) instanceof StandardExtensionElement data) {
            return Base64.getDecoder().decode(data.getText());
        }
        return message.getBody() == null ? null : message.getBody().getBytes(StandardCharsets.UTF_8);
    }

    /** Text that comes back as it was sent: XML 1.0 (2.2) allows it, and line ends (2.11) leave it alone; else null. */
    private static String text(byte[] message) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(message)).toString();
            return text.codePoints().allMatch(Xmpp::isKept) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isKept(int c) {
        return c == '\t' || c == '\n' || (c >= ' ' && c <= 0xfffd) || c >= 0x10000;
    }

    private static final class Sender implements Publisher {
        private final EntityFullJid to;
        private final boolean isManaged;
        private final boolean isAuto;
        private final int most;
        private final Semaphore free;
        private final Outcomes outcomes;
        private XMPPTCPConnection connection;
        private volatile boolean isBroken;

        private Sender(Setup setup, EntityFullJid to, Outcomes outcomes) throws Fault {
            this.to = to;
            this.outcomes = outcomes;
            isManaged = setup.qos().equals(MANAGED);
            isAuto = setup.text("body").equals("auto");
            if (!isAuto && !setup.text("body").equals("base64")) {
                throw Fault.fatal("option body", "\"" + setup.text("body") + "\" is neither auto nor base64");
            }
            most = setup.number("inflight", 1);
            free = new Semaphore(most);
        }

        /** A message is over when it is written (plain), or when the server's count covers it. */
        private void listen(XMPPTCPConnection made) {
            if (isManaged) {
                made.addStanzaAcknowledgedListener(stanza -> {
                    if (stanza instanceof Message) {
                        outcomes.acknowledged(Long.parseLong(stanza.getStanzaId()));
                        free.release();
                    }
                });
            } else {
                made.addStanzaSendingListener(stanza -> free.release(), StanzaTypeFilter.MESSAGE);
            }
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            take(1);
            try {
                connection.sendStanza(stanza(seq, message));
            } catch (SmackException.NotConnectedException e) {
                // What became of the connection is told by its own listener.
                isBroken = true;
            }
        }

        /** Text as the body, everything else as base64 in an element of its own (docs/protocols/xmpp.md). */
        private Stanza stanza(long seq, byte[] message) {
            var made = StanzaBuilder.buildMessage(Long.toString(seq)).ofType(Message.Type.chat).to(to);
            String text = isAuto ? text(message) : null;
            if (text != null) {
                made.setBody(text);
            } else {
                made.addExtension(StandardExtensionElement.builder("data", BINARY)
                        .setText(Base64.getEncoder().encodeToString(message)).build());
            }
            return made.build();
        }

        @Override
        public void flush() throws Exception {
            take(most);
        }

        private void take(int permits) throws InterruptedException {
            while (!isBroken && !free.tryAcquire(permits, 50, TimeUnit.MILLISECONDS)) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() {
            connection.disconnect();
        }
    }
}
