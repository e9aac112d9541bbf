package wirelab.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A connected side of a trial: one of pacer and subscriber, and what `prepared` tells. */
record Prepared(Pacer pacer, Protocol.Subscriber subscriber, long connectNs, int messages, Known known) {
    static final String TIMEOUT = "connect_timeout_s";
    /** What every peer lets be set. */
    static final Map<String, String> SHARED = Map.of(TIMEOUT, "10", Throttle.OPTION, "none");

    /** Check the command against the description, load the payload, create the sample file, connect. */
    static Prepared of(Protocol protocol, JsonNode command, Tally tally, Consumer<Fault> faults) throws Exception {
        Protocol.Described described = protocol.describe();
        Setup setup = setup(described, command);
        boolean hasHeader = command.path("identity").asText().equals("header");
        Payload payload = Payload.open(command.get("payload"), described.maxMessage());
        Known known = new Known(payload, hasHeader);
        if (described.maxMessage() > 0 && known.largest() + (hasHeader ? 8 : 0) > described.maxMessage()) {
            throw Fault.fatal(
                    "payload",
                    "a message has " + known.largest() + " bytes, the protocol carries " + described.maxMessage());
        }
        Samples samples = Samples.create(command.get("samples").asText(), command.get("capacity").asLong());
        Pacer pacer = null;
        Protocol.Subscriber subscriber = null;
        long began = System.nanoTime();
        if (command.get("role").asText().equals("publisher")) {
            boolean isAcknowledged = described.qos().stream()
                    .anyMatch(level -> level.name().equals(setup.qos()) && level.acknowledged());
            Throttle throttle = Throttle.of(setup.text(Throttle.OPTION), setup.qos(), isAcknowledged);
            Protocol.Publisher publisher = protocol.publisher(setup, new Outcomes(samples, tally, faults));
            pacer = new Pacer(publisher, payload, known, samples, tally, isAcknowledged, throttle);
        } else {
            subscriber = protocol.subscriber(setup, new Inbox(payload, known, samples, tally, faults));
        }
        return new Prepared(pacer, subscriber, System.nanoTime() - began, payload.size(), known);
    }

    private static Setup setup(Protocol.Described described, JsonNode command) throws Fault {
        String qos = command.get("qos").asText();
        if (described.qos().stream().noneMatch(level -> level.name().equals(qos))) {
            throw Fault.fatal("qos " + qos, "not one of this peer's");
        }
        Map<String, String> options = new TreeMap<>(described.options());
        options.putAll(SHARED);
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
