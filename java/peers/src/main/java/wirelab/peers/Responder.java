package wirelab.peers;

import com.fasterxml.jackson.databind.JsonNode;
import wirelab.servers.Answer;
import wirelab.servers.Script;

/** Records each request that arrives and answers it as its script says. Thread-safe. */
public final class Responder {
    private final Inbox inbox;
    private final Script script;

    /** Throws a fatal fault for a script that cannot be carried out. */
    Responder(Inbox inbox, JsonNode script) throws Fault {
        this.inbox = inbox;
        try {
            this.script = new Script(script);
        } catch (IllegalArgumentException e) {
            throw Fault.fatal("prepare", e.getMessage());
        }
    }

    /**
     * Answer a request that has just arrived. `isDuplicate`: the protocol marked it as a duplicate.
     */
    public Answer answer(byte[] message, boolean isDuplicate) {
        inbox.deliver(message, isDuplicate);
        ResourceRequest request = ResourceRequest.parse(message);
        return request == null
                ? script.answer("", "", message, message)
                : script.answer(request.method(), request.target(), request.body(), message);
    }

    /** Report that the connection is lost. */
    public void reportFault(Fault fault) {
        inbox.reportFault(fault);
    }
}
