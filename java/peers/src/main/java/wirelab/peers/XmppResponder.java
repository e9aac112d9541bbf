package wirelab.peers;

import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.Stanza;

/**
 * The responder over XMPP: sends each answer to the sender of the request, under the request's id.
 */
final class XmppResponder {
    private XmppResponder() {}

    /** Connect at the topic's address and answer the messages that arrive there. */
    static Protocol.Subscriber connect(Setup setup, Responder responder) throws Exception {
        StanzaCodec codec = StanzaCodec.of(setup);
        return Xmpp.listen(setup, responder::reportFault, (connection, request) -> {
            byte[] message = StanzaCodec.decode(request);
            if (message == null || request.getType() == Message.Type.error || request.getFrom() == null) {
                return;
            }
            Stanza answer =
                    codec.encode(request.getStanzaId(), request.getFrom(), responder.answer(message, false).body());
            try {
                connection.sendStanza(answer);
            } catch (SmackException.NotConnectedException e) {
                // The connection's listener reports a lost connection.
            }
        });
    }
}
