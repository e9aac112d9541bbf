package wirelab.peers;

import wirelab.servers.Answer;
import wirelab.servers.CarPark;

/** Records each request that arrives and returns its answer. Thread-safe. */
public final class Responder {
    private final Inbox inbox;
    /** Null for the echo application. */
    private final CarPark carPark;

    /** Throws a fatal fault for an unknown application. */
    Responder(Inbox inbox, String application) throws Fault {
        this.inbox = inbox;
        carPark = switch (application) {
            case "", "echo" -> null;
            case "parking" -> new CarPark();
            default -> throw Fault.fatal("application " + application, "unknown; use echo or parking");
        };
    }

    /**
     * Answer a request that has just arrived. `isDuplicate`: the protocol marked it as a duplicate.
     */
    public Answer answer(byte[] message, boolean isDuplicate) {
        inbox.deliver(message, isDuplicate);
        if (carPark == null) {
            return new Answer(true, message);
        }
        ResourceRequest request = ResourceRequest.parse(message);
        return request == null
                ? Answer.refuse("not a request")
                : carPark.answer(request.method(), request.target(), request.body());
    }

    /** Report that the connection is lost. */
    public void reportFault(Fault fault) {
        inbox.reportFault(fault);
    }
}
