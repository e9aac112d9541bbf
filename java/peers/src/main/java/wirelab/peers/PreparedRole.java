package wirelab.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A connected role of a trial: either pacer or subscriber, the inbox, and the content of the event
 * `prepared`.
 */
record PreparedRole(Pacer pacer, Protocol.Subscriber subscriber, Inbox inbox, long connectNs, int messages, Corpus corpus) {
    static final String TIMEOUT = "connect_timeout_s";
    /** Option of requesters: `closed` sends the next request when the previous one is answered. */
    private static final String LOOP = "loop";

    /** The options of every peer, with their defaults. */
    static Map<String, String> sharedOptions(Protocol protocol) {
        Map<String, String> shared = new TreeMap<>(Map.of(TIMEOUT, "10", Throttle.OPTION, "none"));
        if (protocol.supportsRequests()) {
            shared.put(LOOP, "open");
        }
        return shared;
    }

    static List<String> listRoles(Protocol protocol) {
        return protocol.supportsRequests()
                ? List.of("publisher", "subscriber", "requester", "responder")
                : List.of("publisher", "subscriber");
    }

    /** Check the `prepare` command, load the payload, create the sample file and connect. */
    static PreparedRole connect(Protocol protocol, JsonNode command, Counters counters, Consumer<Fault> faults) throws Exception {
        Protocol.Described described = protocol.describe();
        Setup setup = parseSetup(protocol, command);
        String role = command.get("role").asText();
        if (!listRoles(protocol).contains(role)) {
            throw Fault.fatal("role " + role, "not supported by this peer");
        }
        boolean hasHeader = command.path("identity").asText().equals("header");
        Payload payload = Payload.open(command.get("payload"), described.maxMessage());
        Corpus corpus = new Corpus(payload, hasHeader);
        if (described.maxMessage() > 0 && corpus.largestSize() + (hasHeader ? 8 : 0) > described.maxMessage()) {
            throw Fault.fatal(
                    "payload",
                    "a message has " + corpus.largestSize() + " bytes, the limit of the protocol is " + described.maxMessage());
        }
        Recorder recorder = Recorder.create(command.get("samples").asText(), command.get("capacity").asLong());
        long began = System.nanoTime();
        Pacer pacer = null;
        Protocol.Subscriber subscriber = null;
        Inbox inbox = new Inbox(payload, corpus, recorder, counters, faults);
        switch (role) {
            case "subscriber" -> subscriber = protocol.connectSubscriber(setup, inbox);
            case "responder" -> subscriber = protocol.connectResponder(setup, new Responder(inbox, command.path("script")));
            default -> pacer = connectPacer(protocol, setup, role.equals("requester"), payload, corpus, recorder, counters, faults);
        }
        return new PreparedRole(pacer, subscriber, inbox, System.nanoTime() - began, payload.size(), corpus);
    }

    private static Pacer connectPacer(Protocol protocol, Setup setup, boolean isRequester, Payload payload, Corpus corpus, Recorder recorder,
            Counters counters, Consumer<Fault> faults) throws Exception {
        boolean isAcknowledged = protocol.describe().qos().stream()
                .anyMatch(level -> level.name().equals(setup.qos()) && level.acknowledged());
        Throttle throttle = Throttle.of(setup.getText(Throttle.OPTION), setup.qos(), isAcknowledged);
        boolean isClosedLoop = isRequester && setup.isAlternative(LOOP, "open", "closed");
        Outcomes outcomes = new Outcomes(recorder, counters, faults);
        Protocol.Publisher publisher = isRequester ? protocol.connectRequester(setup, outcomes) : protocol.connectPublisher(setup, outcomes);
        // The lab waits for outstanding answers, because it knows how long they may take.
        boolean waits = isAcknowledged && !isRequester;
        return new Pacer(publisher, payload, corpus, recorder, counters, waits, isClosedLoop, throttle);
    }

    private static Setup parseSetup(Protocol protocol, JsonNode command) throws Fault {
        Protocol.Described described = protocol.describe();
        String qos = command.get("qos").asText();
        if (described.qos().stream().noneMatch(level -> level.name().equals(qos))) {
            throw Fault.fatal("qos " + qos, "not supported by this peer");
        }
        Map<String, String> options = new TreeMap<>(described.options());
        options.putAll(sharedOptions(protocol));
        for (Map.Entry<String, JsonNode> given : command.path("options").properties()) {
            if (options.replace(given.getKey(), given.getValue().asText()) == null) {
                String known = String.join(", ", options.keySet());
                throw Fault.fatal("option " + given.getKey(), "unknown; use one of: " + known);
            }
        }
        JsonNode server = command.path("server");
        if (!server.isObject()) {
            throw Fault.fatal("server", "missing; this protocol needs a server");
        }
        return new Setup(server.path("address").asText(), server.path("port").asInt(), qos, options,
                command.get("topic").asText(), command.get("client").asText(), parseTimeout(options.get(TIMEOUT)));
    }

    private static long parseTimeout(String seconds) throws Fault {
        try {
            return Math.round(1000 * Double.parseDouble(seconds));
        } catch (NumberFormatException e) {
            throw Fault.fatal("option " + TIMEOUT, "\"" + seconds + "\" is not a number of seconds");
        }
    }
}
