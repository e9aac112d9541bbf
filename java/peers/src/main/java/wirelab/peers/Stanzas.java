package wirelab.peers;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.StandardExtensionElement;
import org.jivesoftware.smack.packet.StanzaBuilder;
import org.jxmpp.jid.Jid;

/** Bytes as XMPP carries them: text as the body unless all shall be base64, everything else as base64 in an element of its own (docs/reference/protocols/xmpp.md). */
record Stanzas(boolean isAuto) {
    private static final String BINARY = "urn:wirelab:binary";

    /** The form that an option asks for. Throws a fatal fault. */
    static Stanzas of(Setup setup) throws Fault {
        return new Stanzas(!setup.isOther("body", "auto", "base64"));
    }

    Message message(String id, Jid to, byte[] bytes) {
        var made = StanzaBuilder.buildMessage(id).ofType(Message.Type.chat).to(to);
        String text = isAuto ? text(bytes) : null;
        if (text != null) {
            made.setBody(text);
        } else {
            made.addExtension(StandardExtensionElement.builder("data", BINARY)
                    .setText(Base64.getEncoder().encodeToString(bytes)).build());
        }
        return made.build();
    }

    /** The bytes in a message, null where it carries none of ours. */
    static byte[] read(Message message) {
        if (message.getExtensionElement("data", BINARY) instanceof StandardExtensionElement data) {
            return Base64.getDecoder().decode(data.getText());
        }
        return message.getBody() == null ? null : message.getBody().getBytes(StandardCharsets.UTF_8);
    }

    /** Text that comes back as it was sent: XML 1.0 (2.2) allows it, and line ends (2.11) leave it alone; else null. */
    private static String text(byte[] message) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(message)).toString();
            return text.codePoints().allMatch(Stanzas::isKept) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isKept(int c) {
        return c == '\t' || c == '\n' || (c >= ' ' && c <= 0xfffd) || c >= 0x10000;
    }
}
