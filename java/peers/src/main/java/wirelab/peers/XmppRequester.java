package wirelab.peers;

import java.util.concurrent.CompletableFuture;
import org.jivesoftware.smack.filter.StanzaTypeFilter;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jxmpp.jid.EntityFullJid;

/**
 * The requester over XMPP: requests are chat messages. Over one stream, or over a stream per
 * request.
 */
final class XmppRequester {
    private XmppRequester() {}

    static Protocol.Publisher connect(Setup setup, Outcomes outcomes) throws Exception {
        EntityFullJid to = Xmpp.buildAddress(setup);
        StanzaCodec codec = StanzaCodec.of(setup);
        if (setup.connectsPerRequest()) {
            // Fail now, not at the first request, if there is no server.
            Xmpp.connectRequester(setup, fault -> { }, created -> { }).disconnect();
            return new ConnectionPerRequest(outcomes, (seq, message) ->
                    exchange(setup, codec.encode(Long.toString(seq), to, message), seq, outcomes));
        }
        Xmpp.Sender sender = new Xmpp.Sender(setup, to, codec, outcomes, false);
        sender.connection = Xmpp.connectRequester(setup, fault -> {
            sender.isBroken = true;
            outcomes.reportFault(fault);
        }, created -> {
            sender.listen(created);
            created.addSyncStanzaListener(stanza -> recordAnswer((Message) stanza, outcomes), StanzaTypeFilter.MESSAGE);
        });
        return sender;
    }

    /** One request and its answer over a stream of its own. */
    private static void exchange(Setup setup, Message request, long seq, Outcomes outcomes) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Setup own = setup.withClient(setup.client() + "-" + seq);
        XMPPTCPConnection connection = Xmpp.connectRequester(own, done::completeExceptionally,
                created -> created.addSyncStanzaListener(stanza -> {
                    recordAnswer((Message) stanza, outcomes);
                    done.complete(null);
                }, StanzaTypeFilter.MESSAGE));
        try {
            connection.sendStanza(request);
            done.get();
        } finally {
            connection.disconnect();
        }
    }

    /**
     * A request returned by the server as undeliverable is an error stanza with the request's id.
     */
    private static void recordAnswer(Message answer, Outcomes outcomes) {
        String id = answer.getStanzaId();
        if (id == null || !id.matches("\\d{1,18}")) {
            return;
        }
        if (answer.getType() == Message.Type.error) {
            outcomes.recordFailed(Long.parseLong(id));
        } else {
            outcomes.recordAnswered(Long.parseLong(id));
        }
    }
}
