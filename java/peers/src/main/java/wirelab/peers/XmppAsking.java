package wirelab.peers;

import java.util.concurrent.CompletableFuture;
import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.filter.StanzaTypeFilter;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.Stanza;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jxmpp.jid.EntityFullJid;

/** Requests and answers as chat messages: the answer goes back to whoever asked, under the id of the request. */
final class XmppAsking {
    private XmppAsking() {}

    /** The side that asks: over one stream, or over a stream for each request. */
    static Protocol.Publisher requester(Setup setup, Outcomes outcomes) throws Exception {
        EntityFullJid to = Xmpp.address(setup);
        Stanzas form = Stanzas.of(setup);
        if (setup.connectsEach()) {
            // Whether there is a server is seen before the first request.
            Xmpp.asking(setup, fault -> { }, made -> { }).disconnect();
            return new Aside(outcomes, (seq, message) -> askOnce(setup, form.message(Long.toString(seq), to, message), seq, outcomes));
        }
        Xmpp.Sender sender = new Xmpp.Sender(setup, to, form, outcomes, false);
        sender.connection = Xmpp.asking(setup, fault -> {
            sender.isBroken = true;
            outcomes.fault(fault);
        }, made -> {
            sender.listen(made);
            made.addSyncStanzaListener(stanza -> tell((Message) stanza, outcomes), StanzaTypeFilter.MESSAGE);
        });
        return sender;
    }

    /** One request on a stream of its own, up to its answer; then the stream is closed. */
    private static void askOnce(Setup setup, Message request, long seq, Outcomes outcomes) throws Exception {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Setup own = setup.named(setup.client() + "-" + seq);
        XMPPTCPConnection connection = Xmpp.asking(own, over::completeExceptionally,
                made -> made.addSyncStanzaListener(stanza -> {
                    tell((Message) stanza, outcomes);
                    over.complete(null);
                }, StanzaTypeFilter.MESSAGE));
        try {
            connection.sendStanza(request);
            over.get();
        } finally {
            connection.disconnect();
        }
    }

    /** A request that came back because nobody was there has its id as well. */
    private static void tell(Message answer, Outcomes outcomes) {
        String id = answer.getStanzaId();
        if (id == null || !id.matches("\\d{1,18}")) {
            return;
        }
        if (answer.getType() == Message.Type.error) {
            outcomes.failed(Long.parseLong(id));
        } else {
            outcomes.answered(Long.parseLong(id));
        }
    }

    /** Connect, and answer whoever sends to the topic's address. */
    static Protocol.Subscriber responder(Setup setup, Desk desk) throws Exception {
        Stanzas form = Stanzas.of(setup);
        return Xmpp.listening(setup, desk::fault, (connection, request) -> {
            byte[] message = Stanzas.read(request);
            if (message == null || request.getType() == Message.Type.error || request.getFrom() == null) {
                return;
            }
            Stanza answer = form.message(request.getStanzaId(), request.getFrom(), desk.answer(message, false).body());
            try {
                connection.sendStanza(answer);
            } catch (SmackException.NotConnectedException e) {
                // What became of the connection is told by its own listener.
            }
        });
    }
}
