package wirelab.peers;

import java.io.IOException;
import java.net.InetAddress;
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
    private static final String PUBLISHER = "publisher";

    @Override
    public Described describe() {
        return new Described("xmpp-smack", "xmpp", "smack", Versions.of("smack-tcp"),
                List.of(new Level("plain", "at-most-once", false), new Level(MANAGED, "at-least-once", true)),
                true, MAX_MESSAGE, List.of("xmpp"),
                Map.of("authority", "", "body", "auto", "connection", "kept", "domain", "wirelab.test", "inflight", "1000",
                        "password", "wirelab", "transport", "tcp"));
    }

    @Override
    public Publisher publisher(Setup setup, Outcomes outcomes) throws Exception {
        Sender sender = new Sender(setup, address(setup), Stanzas.of(setup), outcomes, true);
        sender.connection = connected(setup, PUBLISHER, setup.client(), true, fault -> {
            sender.isBroken = true;
            outcomes.fault(fault);
        }, sender::listen);
        return sender;
    }

    @Override
    public Subscriber subscriber(Setup setup, Inbox inbox) throws Exception {
        return listening(setup, inbox::fault, (connection, stanza) -> {
            byte[] message = Stanzas.read(stanza);
            if (message != null) {
                inbox.deliver(message, false);
            }
        });
    }

    @Override
    public boolean answers() {
        return true;
    }

    @Override
    public Publisher requester(Setup setup, Outcomes outcomes) throws Exception {
        return XmppAsking.requester(setup, outcomes);
    }

    @Override
    public Subscriber responder(Setup setup, Desk desk) throws Exception {
        return XmppAsking.responder(setup, desk);
    }

    /** Takes a message that has come over a connection. */
    @FunctionalInterface
    interface Arrivals {
        void take(XMPPTCPConnection connection, Message message) throws InterruptedException;
    }

    /** Connect at the topic's address, and hand over what comes. */
    static Subscriber listening(Setup setup, Consumer<Fault> broken, Arrivals arrivals) throws Exception {
        EntityFullJid own = address(setup);
        XMPPTCPConnection connection = connected(setup, "subscriber", own.getResourcepart().toString(), true, broken,
                made -> made.addSyncStanzaListener(stanza -> arrivals.take(made, (Message) stanza), StanzaTypeFilter.MESSAGE));
        if (!connection.getUser().equals(own)) {
            throw Fault.fatal("bind " + own, "the server bound " + connection.getUser());
        }
        return connection::disconnect;
    }

    /** Connect a requester. It sends no presence: with a stream for each request the server would tell every other stream of the account. */
    static XMPPTCPConnection asking(Setup setup, Consumer<Fault> broken, Consumer<XMPPTCPConnection> listen) throws Exception {
        return connected(setup, PUBLISHER, setup.client(), false, broken, listen);
    }

    /** Where the topic's messages go. */
    static EntityFullJid address(Setup setup) throws Fault {
        try {
            return JidCreate.entityFullFrom("subscriber@" + setup.text("domain") + "/" + setup.topic());
        } catch (IOException e) {
            throw Fault.fatal("option domain", e);
        }
    }

    private static XMPPTCPConnection connected(
            Setup setup, String account, String resource, boolean isPresent, Consumer<Fault> broken,
            Consumer<XMPPTCPConnection> listen) throws Exception {
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
                    .setResource(Resourcepart.from(resource)).setSendPresence(isPresent)
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

    /** Sends messages, and tells of their acknowledgement where it is asked to. */
    static final class Sender implements Publisher {
        private final EntityFullJid to;
        private final Stanzas form;
        private final boolean isManaged;
        private final boolean tells;
        private final int most;
        private final Semaphore free;
        private final Outcomes outcomes;
        XMPPTCPConnection connection;
        volatile boolean isBroken;

        Sender(Setup setup, EntityFullJid to, Stanzas form, Outcomes outcomes, boolean tells) throws Fault {
            this.to = to;
            this.form = form;
            this.outcomes = outcomes;
            this.tells = tells;
            isManaged = setup.qos().equals(MANAGED);
            most = setup.number("inflight", 1);
            free = new Semaphore(most);
        }

        /** A message is over when it is written (plain), or when the server's count covers it. */
        void listen(XMPPTCPConnection made) {
            if (isManaged) {
                made.addStanzaAcknowledgedListener(stanza -> {
                    if (stanza instanceof Message) {
                        if (tells) {
                            outcomes.acknowledged(Long.parseLong(stanza.getStanzaId()));
                        }
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
                connection.sendStanza(form.message(Long.toString(seq), to, message));
            } catch (SmackException.NotConnectedException e) {
                // What became of the connection is told by its own listener.
                isBroken = true;
            }
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
