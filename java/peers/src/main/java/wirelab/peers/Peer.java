package wirelab.peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import wirelab.peers.Tally.Counts;

/** The control loop of docs/contracts/peer.md: commands in, events out, one writer of standard output. */
final class Peer {
    private static final long PROGRESS_NS = 100_000_000;
    private static final long FAREWELL_NS = 900_000_000;
    private static final List<String> NEEDED =
            List.of("role", "qos", "topic", "client", "payload", "samples", "capacity");

    /** What reaches the loop. */
    sealed interface Input {
        record Command(JsonNode line) implements Input {}

        record Ready(Prepared side) implements Input {}

        record Broken(Fault fault) implements Input {}

        record Settled() implements Input {}

        record Left() implements Input {}

        record End() implements Input {}
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Protocol protocol;
    private final PrintStream events;
    private final BlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
    private final Tally tally = new Tally();
    private Prepared side;
    private boolean isPreparing;
    private boolean isStarted;
    private boolean isTold;
    private Counts shown = new Counts(0, 0, 0, 0);

    private Peer(Protocol protocol, PrintStream events) {
        this.protocol = protocol;
        this.events = events;
    }

    /** Run until stopped. The exit code: 0 after `stop`, 1 after a fatal error. */
    static int run(Protocol protocol) throws InterruptedException {
        PrintStream events = System.out;
        // What libraries print goes to the log.
        System.setOut(System.err);
        Peer peer = new Peer(protocol, events);
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            error.printStackTrace();
            peer.inputs.add(new Input.Broken(Fault.fatal("peer", "internal error: " + error)));
        });
        daemon(() -> Commands.read(System.in, peer.inputs));
        return peer.loop();
    }

    private int loop() throws InterruptedException {
        long next = System.nanoTime() + PROGRESS_NS;
        while (true) {
            Input input = inputs.poll(Math.max(0, next - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (input == null) {
                next = System.nanoTime() + PROGRESS_NS;
                progress();
                continue;
            }
            try {
                if (handle(input)) {
                    leave();
                    return 0;
                }
            } catch (Fault fault) {
                tell(event("error").put("what", fault.what()).put("why", fault.getMessage())
                        .put("fatal", fault.isFatal()));
                if (fault.isFatal()) {
                    return 1;
                }
            }
        }
    }

    /** True where the peer shall leave. */
    private boolean handle(Input input) throws Fault {
        if (input instanceof Input.Command command) {
            return command(command.line());
        } else if (input instanceof Input.Ready ready) {
            side = ready.side();
            Known known = side.known();
            tell(event("prepared").put("connect_ns", side.connectNs()).put("messages", side.messages())
                    .put("bytes_min", known.smallest()).put("bytes_max", known.largest())
                    .put("distinct", known.distinct()));
        } else if (input instanceof Input.Broken broken) {
            throw broken.fault();
        } else if (input instanceof Input.Settled) {
            Counts now = tally.counts();
            tell(event("settled").put("sent", now.sent()).put("acknowledged", now.acknowledged())
                    .put("failed", now.failed()));
        }
        return input instanceof Input.End;
    }

    private boolean command(JsonNode line) throws Fault {
        switch (line.path("cmd").asText()) {
            case "describe" -> describe();
            case "prepare" -> prepare(line);
            case "start" -> start(line);
            case "send" -> send(line);
            case "stop" -> {
                return true;
            }
            default -> throw Fault.minor("command", "\"" + line.path("cmd").asText() + "\" is not known");
        }
        return false;
    }

    private void describe() {
        Protocol.Described described = protocol.describe();
        ObjectNode event = event("described").put("contract", 1).put("name", described.name())
                .put("protocol", described.protocol()).put("library", described.library())
                .put("version", described.version()).put("language", "java").put("ordered", described.ordered())
                .put("max_message", described.maxMessage());
        Prepared.roles(protocol).forEach(event.putArray("roles")::add);
        described.qos().forEach(level -> event.withArray("qos").addObject().put("name", level.name())
                .put("delivery", level.delivery()).put("acknowledged", level.acknowledged()));
        described.servers().forEach(event.putArray("servers")::add);
        ObjectNode options = event.putObject("options");
        Prepared.shared(protocol).forEach(options::put);
        described.options().forEach(options::put);
        tell(event);
    }

    private void prepare(JsonNode command) throws Fault {
        for (String key : NEEDED) {
            if (!command.has(key)) {
                throw Fault.minor("prepare", key + " is missing");
            }
        }
        if (isPreparing) {
            throw Fault.minor("prepare", "this peer has already been prepared");
        }
        isPreparing = true;
        // Connecting has a thread of its own, so that `stop` is heard meanwhile.
        daemon(() -> {
            try {
                inputs.add(new Input.Ready(Prepared.of(protocol, command, tally, this::broken)));
            } catch (Exception | LinkageError e) {
                broken(e instanceof Fault fault ? fault : Fault.fatal("prepare", e));
            }
        });
    }

    private void start(JsonNode command) throws Fault {
        if (!command.path("at_ns").isIntegralNumber()) {
            throw Fault.minor("start", "at_ns is missing");
        }
        if (side == null || isStarted) {
            throw Fault.minor("start", isStarted ? "this peer has already been started" : "this peer is not prepared yet");
        }
        if (side.pacer() != null) {
            Plan plan = Plan.of(command.get("at_ns").asLong(), command.get("schedule"));
            isTold = plan.isTold();
            isStarted = true;
            tell(event("started"));
            daemon(() -> sendAll(side.pacer(), plan));
        } else {
            isStarted = true;
            tell(event("started"));
        }
    }

    private void sendAll(Pacer pacer, Plan plan) {
        try {
            if (pacer.run(plan)) {
                inputs.add(new Input.Settled());
            }
        } catch (Exception e) {
            // Once it is told to stop, whatever the library says of its closing is no fault.
            if (!pacer.isStopped()) {
                broken(e instanceof Fault fault ? fault : Fault.fatal("publish", e));
            }
        }
    }

    private void send(JsonNode command) throws Fault {
        if (!isTold) {
            throw Fault.minor("send", "the schedule is not one that is told");
        }
        side.pacer().tell(command.path("at_ns").asLong());
    }

    private void broken(Fault fault) {
        inputs.add(new Input.Broken(fault));
    }

    private void leave() throws InterruptedException {
        if (side != null) {
            daemon(() -> {
                try {
                    if (side.pacer() != null) {
                        side.pacer().stop();
                        side.pacer().publisher.close();
                    } else {
                        side.subscriber().close();
                    }
                } catch (Exception e) {
                    System.err.println("close: " + e);
                } finally {
                    inputs.add(new Input.Left());
                }
            });
            long deadline = System.nanoTime() + FAREWELL_NS;
            Input input;
            do {
                input = inputs.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } while (input != null && !(input instanceof Input.Left));
            side.inbox().close();
        }
        Counts now = tally.counts();
        tell(counted(event("stopped"), now).put("cpu_ns", cpuNs()).put("max_rss_bytes", maxRssBytes()));
    }

    private void progress() {
        Counts now = tally.counts();
        if (!now.equals(shown)) {
            shown = now;
            tell(counted(event("progress"), now));
        }
    }

    private static ObjectNode event(String name) {
        return JSON.createObjectNode().put("event", name);
    }

    private static ObjectNode counted(ObjectNode event, Counts now) {
        return event.put("sent", now.sent()).put("acknowledged", now.acknowledged()).put("failed", now.failed())
                .put("received", now.received());
    }

    private void tell(ObjectNode event) {
        byte[] line = (event + "\n").getBytes(StandardCharsets.UTF_8);
        events.write(line, 0, line.length);
        events.flush();
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private static long cpuNs() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** The most memory this process had (proc(5), VmHWM). */
    private static long maxRssBytes() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }
}
