package wirelab.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A connected side of a trial: one of pacer and subscriber, the inbox, and what `prepared` tells. */
record Prepared(Pacer pacer, Protocol.Subscriber subscriber, Inbox inbox, long connectNs, int messages, Known known) {
    static final String TIMEOUT = "connect_timeout_s";
    /** Of every requester: `closed` sends the next request when the one before it is answered. */
    private static final String LOOP = "loop";

    /** What every peer lets be set. */
    static Map<String, String> shared(Protocol protocol) {
        Map<String, String> shared = new TreeMap<>(Map.of(TIMEOUT, "10", Throttle.OPTION, "none"));
        if (protocol.answers()) {
            shared.put(LOOP, "open");
        }
        return shared;
    }

    static List<String> roles(Protocol protocol) {
        return protocol.answers()
                ? List.of("publisher", "subscriber", "requester", "responder")
                : List.of("publisher", "subscriber");
    }

    /** Check the command against the description, load the payload, create the sample file, connect. */
    static Prepared of(Protocol protocol, JsonNode command, Tally tally, Consumer<Fault> faults) throws Exception {
        Protocol.Described described = protocol.describe();
        Setup setup = setup(protocol, command);
        String role = command.get("role").asText();
        if (!roles(protocol).contains(role)) {
            throw Fault.fatal("role " + role, "this peer does not take it");
        }
        boolean hasHeader = command.path("identity").asText().equals("header");
        Payload payload = Payload.open(command.get("payload"), described.maxMessage());
        Known known = new Known(payload, hasHeader);
        if (described.maxMessage() > 0 && known.largest() + (hasHeader ? 8 : 0) > described.maxMessage()) {
            throw Fault.fatal(
                    "payload",
                    "a message has " + known.largest() + " bytes, the protocol carries " + described.maxMessage());
        }
        Samples samples = Samples.create(command.get("samples").asText(), command.get("capacity").asLong());
        long began = System.nanoTime();
        Pacer pacer = null;
        Protocol.Subscriber subscriber = null;
        Inbox inbox = new Inbox(payload, known, samples, tally, faults);
        switch (role) {
            case "subscriber" -> subscriber = protocol.subscriber(setup, inbox);
            case "responder" -> subscriber = protocol.responder(setup, new Desk(inbox, command.path("application").asText()));
            default -> pacer = pacer(protocol, setup, role.equals("requester"), payload, known, samples, tally, faults);
        }
        return new Prepared(pacer, subscriber, inbox, System.nanoTime() - began, payload.size(), known);
    }

    private static Pacer pacer(Protocol protocol, Setup setup, boolean asks, Payload payload, Known known, Samples samples,
            Tally tally, Consumer<Fault> faults) throws Exception {
        boolean isAcknowledged = protocol.describe().qos().stream()
                .anyMatch(level -> level.name().equals(setup.qos()) && level.acknowledged());
        Throttle throttle = Throttle.of(setup.text(Throttle.OPTION), setup.qos(), isAcknowledged);
        boolean isClosed = asks && setup.isOther(LOOP, "open", "closed");
        Outcomes outcomes = new Outcomes(samples, tally, faults);
        Protocol.Publisher publisher = asks ? protocol.requester(setup, outcomes) : protocol.publisher(setup, outcomes);
        // Whether a request is answered is seen from outside, where it is also known how long that may take.
        boolean waits = isAcknowledged && !asks;
        return new Pacer(publisher, payload, known, samples, tally, waits, isClosed, throttle);
    }

    private static Setup setup(Protocol protocol, JsonNode command) throws Fault {
        Protocol.Described described = protocol.describe();
        String qos = command.get("qos").asText();
        if (described.qos().stream().noneMatch(level -> level.name().equals(qos))) {
            throw Fault.fatal("qos " + qos, "not one of this peer's");
        }
        Map<String, String> options = new TreeMap<>(described.options());
        options.putAll(shared(protocol));
        for (Map.Entry<String, JsonNode> given : command.path("options").properties()) {
            if (options.replace(given.getKey(), given.getValue().asText()) == null) {
                String known = String.join(", ", options.keySet());
                throw Fault.fatal("option " + given.getKey(), "not known; there are: " + known);
            }
        }
        JsonNode server = command.path("server");
        if (!server.isObject()) {
            throw Fault.fatal("server", "this protocol needs one");
        }
        return new Setup(server.path("address").asText(), server.path("port").asInt(), qos, options,
                command.get("topic").asText(), command.get("client").asText(), timeout(options.get(TIMEOUT)));
    }

    private static long timeout(String seconds) throws Fault {
        try {
            return Math.round(1000 * Double.parseDouble(seconds));
        } catch (NumberFormatException e) {
            throw Fault.fatal("option " + TIMEOUT, "\"" + seconds + "\" is no number of seconds");
        }
    }
}
