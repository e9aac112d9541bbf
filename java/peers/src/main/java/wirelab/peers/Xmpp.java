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
    /** Fits as base64 into a stanza of 16 MiB, the limit that the servers are configured with. */
    private static final long MAX_MESSAGE = 12_000_000;
    private static final String MANAGED = "managed";
    private static final String PUBLISHER = "publisher";

    @Override
    public Described describe() {
        return new Described("xmpp-smack", "xmpp", "smack", LibraryVersions.find("smack-tcp"),
                List.of(new Level("plain", "at-most-once", false), new Level(MANAGED, "at-least-once", true)),
                true, MAX_MESSAGE, List.of("xmpp"),
                Map.of("authority", "", "body", "auto", "connection", "kept", "domain", "wirelab.test", "inflight", "1000",
                        "password", "wirelab", "transport", "tcp"));
    }

    @Override
    public Publisher connectPublisher(Setup setup, Outcomes outcomes) throws Exception {
        Sender sender = new Sender(setup, buildAddress(setup), StanzaCodec.of(setup), outcomes, true);
        sender.connection = connect(setup, PUBLISHER, setup.client(), true, fault -> {
            sender.isBroken = true;
            outcomes.reportFault(fault);
        }, sender::listen);
        return sender;
    }

    @Override
    public Subscriber connectSubscriber(Setup setup, Inbox inbox) throws Exception {
        return listen(setup, inbox::reportFault, (connection, stanza) -> {
            byte[] message = StanzaCodec.decode(stanza);
            if (message != null) {
                inbox.deliver(message, false);
            }
        });
    }

    @Override
    public boolean supportsRequests() {
        return true;
    }

    @Override
    public Publisher connectRequester(Setup setup, Outcomes outcomes) throws Exception {
        return XmppRequester.connect(setup, outcomes);
    }

    @Override
    public Subscriber connectResponder(Setup setup, Responder responder) throws Exception {
        return XmppResponder.connect(setup, responder);
    }

    /** Receives the messages of a connection. */
    @FunctionalInterface
    interface Arrivals {
        void accept(XMPPTCPConnection connection, Message message) throws InterruptedException;
    }

    /** Connect at the topic's address and pass arriving messages on. */
    static Subscriber listen(Setup setup, Consumer<Fault> broken, Arrivals arrivals) throws Exception {
        EntityFullJid own = buildAddress(setup);
        XMPPTCPConnection connection = connect(setup, "subscriber", own.getResourcepart().toString(), true, broken,
                created -> created.addSyncStanzaListener(
                        stanza -> arrivals.accept(created, (Message) stanza), StanzaTypeFilter.MESSAGE));
        if (!connection.getUser().equals(own)) {
            throw Fault.fatal("bind " + own, "the server bound " + connection.getUser());
        }
        return connection::disconnect;
    }

    /**
     * Connect a requester. It sends no presence: with a stream per request, the server would notify
     * all streams of the account.
     */
    static XMPPTCPConnection connectRequester(Setup setup, Consumer<Fault> broken, Consumer<XMPPTCPConnection> prepare)
            throws Exception {
        return connect(setup, PUBLISHER, setup.client(), false, broken, prepare);
    }

    /** The address that the topic's messages are sent to. */
    static EntityFullJid buildAddress(Setup setup) throws Fault {
        try {
            return JidCreate.entityFullFrom("subscriber@" + setup.getText("domain") + "/" + setup.topic());
        } catch (IOException e) {
            throw Fault.fatal("option domain", e);
        }
    }

    /** Connect and log in. `prepare` adds listeners before that. */
    private static XMPPTCPConnection connect(
            Setup setup, String account, String resource, boolean isPresent, Consumer<Fault> broken,
            Consumer<XMPPTCPConnection> prepare) throws Exception {
        boolean isManaged = setup.qos().equals(MANAGED);
        SocketFactory sockets = switch (setup.getText("transport")) {
            case "tcp" -> new PeerSocketFactory(true);
            case "tls" -> new PeerSocketFactory(true, Tls.createContext(setup.getText("authority")).getSocketFactory());
            default -> throw Fault.fatal("option transport", "\"" + setup.getText("transport") + "\" is neither tcp nor tls");
        };
        return setup.runWithinTimeout(() -> {
            XMPPTCPConnection connection = new XMPPTCPConnection(XMPPTCPConnectionConfiguration.builder()
                    .setXmppDomain(JidCreate.domainBareFrom(setup.getText("domain")))
                    .setHostAddress(InetAddress.getByName(setup.address())).setPort(setup.port())
                    .setUsernameAndPassword(account, setup.getText("password"))
                    .setResource(Resourcepart.from(resource)).setSendPresence(isPresent)
                    // TLS, if used, starts with the first byte (XEP-0368).
                    .setSecurityMode(SecurityMode.disabled).setCompressionEnabled(false)
                    .setConnectTimeout((int) setup.timeoutMs()).setSocketFactory(sockets)
                    .build());
            connection.setReplyTimeout(setup.timeoutMs());
            connection.setUseStreamManagement(isManaged);
            connection.setUseStreamManagementResumption(false);
            prepare.accept(connection);
            connection.connect().login();
            if (isManaged && !connection.isSmEnabled()) {
                throw Fault.fatal("connect " + setup.server(), "the server does not offer stream management (XEP-0198)");
            }
            connection.addConnectionListener(new ConnectionListener() {
                @Override
                public void connectionClosedOnError(Exception e) {
                    broken.accept(setup.brokenFault(e));
                }
            });
            return connection;
        });
    }

    /** Sends messages and, with `recordsAcknowledgements`, records their acknowledgements. */
    static final class Sender implements Publisher {
        private final EntityFullJid to;
        private final StanzaCodec codec;
        private final boolean isManaged;
        private final boolean recordsAcknowledgements;
        private final int inflight;
        private final Semaphore free;
        private final Outcomes outcomes;
        XMPPTCPConnection connection;
        volatile boolean isBroken;

        Sender(Setup setup, EntityFullJid to, StanzaCodec codec, Outcomes outcomes, boolean recordsAcknowledgements)
                throws Fault {
            this.to = to;
            this.codec = codec;
            this.outcomes = outcomes;
            this.recordsAcknowledgements = recordsAcknowledgements;
            isManaged = setup.qos().equals(MANAGED);
            inflight = setup.getInt("inflight", 1);
            free = new Semaphore(inflight);
        }

        /**
         * A message counts as in flight until it is written (plain) or acknowledged by the server
         * (managed).
         */
        void listen(XMPPTCPConnection created) {
            if (isManaged) {
                created.addStanzaAcknowledgedListener(stanza -> {
                    if (stanza instanceof Message) {
                        if (recordsAcknowledgements) {
                            outcomes.recordAcknowledged(Long.parseLong(stanza.getStanzaId()));
                        }
                        free.release();
                    }
                });
            } else {
                created.addStanzaSendingListener(stanza -> free.release(), StanzaTypeFilter.MESSAGE);
            }
        }

        @Override
        public void send(long seq, byte[] message) throws Exception {
            acquire(1);
            try {
                connection.sendStanza(codec.encode(Long.toString(seq), to, message));
            } catch (SmackException.NotConnectedException e) {
                // The connection's listener reports a lost connection.
                isBroken = true;
            }
        }

        @Override
        public void flush() throws Exception {
            acquire(inflight);
        }

        private void acquire(int permits) throws InterruptedException {
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
