package wirelab.peers;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.StandardExtensionElement;
import org.jivesoftware.smack.packet.StanzaBuilder;
import org.jxmpp.jid.Jid;

/**
 * Messages as XMPP stanzas (docs/reference/protocols/xmpp.md). With `isAuto`, text becomes the
 * body; everything else is base64 in an extension element.
 */
record StanzaCodec(boolean isAuto) {
    private static final String BINARY = "urn:wirelab:binary";

    /** The codec for the option `body`. Throws a fatal fault for an unknown value. */
    static StanzaCodec of(Setup setup) throws Fault {
        return new StanzaCodec(!setup.isAlternative("body", "auto", "base64"));
    }

    Message encode(String id, Jid to, byte[] bytes) {
        var stanza = StanzaBuilder.buildMessage(id).ofType(Message.Type.chat).to(to);
        String text = isAuto ? decodeText(bytes) : null;
        if (text != null) {
            stanza.setBody(text);
        } else {
            stanza.addExtension(StandardExtensionElement.builder("data", BINARY)
                    .setText(Base64.getEncoder().encodeToString(bytes)).build());
        }
        return stanza.build();
    }

    /** The message in a stanza; null if the stanza carries none. */
    static byte[] decode(Message stanza) {
        if (stanza.getExtensionElement("data", BINARY) instanceof StandardExtensionElement data) {
            return Base64.getDecoder().decode(data.getText());
        }
        return stanza.getBody() == null ? null : stanza.getBody().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The message as text, if XML 1.0 preserves it: allowed characters (2.2), no CR (2.11).
     * Otherwise null.
     */
    private static String decodeText(byte[] message) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(message)).toString();
            return text.codePoints().allMatch(StanzaCodec::isPreserved) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isPreserved(int c) {
        return c == '\t' || c == '\n' || (c >= ' ' && c <= 0xfffd) || c >= 0x10000;
    }
}
