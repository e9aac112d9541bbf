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
import wirelab.peers.Counters.Counts;

/**
 * The control loop of docs/contracts/peer.md: reads commands and is the only writer of events to
 * standard output.
 */
final class Peer {
    private static final long PROGRESS_NS = 100_000_000;
    private static final long CLOSE_TIMEOUT_NS = 900_000_000;
    private static final List<String> NEEDED =
            List.of("role", "qos", "topic", "client", "payload", "samples", "capacity");

    /** The loop's inputs. */
    sealed interface Input {
        record Command(JsonNode line) implements Input {}

        record Ready(PreparedRole role) implements Input {}

        record Failure(Fault fault) implements Input {}

        record Settled() implements Input {}

        record Closed() implements Input {}

        record End() implements Input {}
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Protocol protocol;
    private final PrintStream events;
    private final BlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
    private final Counters counters = new Counters();
    private PreparedRole role;
    private boolean isPreparing;
    private boolean isStarted;
    private boolean usesSendCommands;
    private Counts reported = new Counts(0, 0, 0, 0);

    private Peer(Protocol protocol, PrintStream events) {
        this.protocol = protocol;
        this.events = events;
    }

    /** Run until stopped. The exit code: 0 after `stop`, 1 after a fatal error. */
    static int run(Protocol protocol) throws InterruptedException {
        PrintStream events = System.out;
        // Standard output carries the events only: the output of libraries goes to standard error.
        System.setOut(System.err);
        Peer peer = new Peer(protocol, events);
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            error.printStackTrace();
            peer.inputs.add(new Input.Failure(Fault.fatal("peer", "internal error: " + error)));
        });
        startDaemon(() -> CommandReader.read(System.in, peer.inputs));
        return peer.loop();
    }

    private int loop() throws InterruptedException {
        long next = System.nanoTime() + PROGRESS_NS;
        while (true) {
            Input input = inputs.poll(Math.max(0, next - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (input == null) {
                next = System.nanoTime() + PROGRESS_NS;
                reportProgress();
                continue;
            }
            try {
                if (handle(input)) {
                    close();
                    return 0;
                }
            } catch (Fault fault) {
                emit(createEvent("error").put("what", fault.what()).put("why", fault.getMessage())
                        .put("fatal", fault.isFatal()));
                if (fault.isFatal()) {
                    return 1;
                }
            }
        }
    }

    /** Returns true if the peer must end. */
    private boolean handle(Input input) throws Fault {
        if (input instanceof Input.Command command) {
            return execute(command.line());
        } else if (input instanceof Input.Ready ready) {
            role = ready.role();
            Corpus corpus = role.corpus();
            emit(createEvent("prepared").put("connect_ns", role.connectNs()).put("messages", role.messages())
                    .put("bytes_min", corpus.smallestSize()).put("bytes_max", corpus.largestSize())
                    .put("distinct", corpus.countDistinct()));
        } else if (input instanceof Input.Failure failure) {
            throw failure.fault();
        } else if (input instanceof Input.Settled) {
            Counts now = counters.read();
            emit(createEvent("settled").put("sent", now.sent()).put("acknowledged", now.acknowledged())
                    .put("failed", now.failed()));
        }
        return input instanceof Input.End;
    }

    private boolean execute(JsonNode line) throws Fault {
        switch (line.path("cmd").asText()) {
            case "describe" -> describe();
            case "prepare" -> prepare(line);
            case "start" -> start(line);
            case "send" -> send(line);
            case "stop" -> {
                return true;
            }
            default -> throw Fault.minor("command", "unknown command \"" + line.path("cmd").asText() + "\"");
        }
        return false;
    }

    private void describe() {
        Protocol.Described described = protocol.describe();
        ObjectNode event = createEvent("described").put("contract", 1).put("name", described.name())
                .put("protocol", described.protocol()).put("library", described.library())
                .put("version", described.version()).put("language", "java").put("ordered", described.ordered())
                .put("max_message", described.maxMessage());
        PreparedRole.listRoles(protocol).forEach(event.putArray("roles")::add);
        described.qos().forEach(level -> event.withArray("qos").addObject().put("name", level.name())
                .put("delivery", level.delivery()).put("acknowledged", level.acknowledged()));
        described.servers().forEach(event.putArray("servers")::add);
        ObjectNode options = event.putObject("options");
        PreparedRole.sharedOptions(protocol).forEach(options::put);
        described.options().forEach(options::put);
        emit(event);
    }

    private void prepare(JsonNode command) throws Fault {
        for (String key : NEEDED) {
            if (!command.has(key)) {
                throw Fault.minor("prepare", key + " is missing");
            }
        }
        if (isPreparing) {
            throw Fault.minor("prepare", "this peer is already prepared");
        }
        isPreparing = true;
        // Connect on another thread, so that this one still handles `stop`.
        startDaemon(() -> {
            try {
                inputs.add(new Input.Ready(PreparedRole.connect(protocol, command, counters, this::fail)));
            } catch (Exception | LinkageError e) {
                fail(e instanceof Fault fault ? fault : Fault.fatal("prepare", e));
            }
        });
    }

    private void start(JsonNode command) throws Fault {
        if (!command.path("at_ns").isIntegralNumber()) {
            throw Fault.minor("start", "at_ns is missing");
        }
        if (role == null || isStarted) {
            throw Fault.minor("start", isStarted ? "this peer is already started" : "this peer is not prepared yet");
        }
        if (role.pacer() != null) {
            Schedule schedule = Schedule.of(command.get("at_ns").asLong(), command.get("schedule"));
            usesSendCommands = schedule.usesSendCommands();
            isStarted = true;
            emit(createEvent("started"));
            startDaemon(() -> sendAll(role.pacer(), schedule));
        } else {
            isStarted = true;
            emit(createEvent("started"));
        }
    }

    private void sendAll(Pacer pacer, Schedule schedule) {
        try {
            if (pacer.run(schedule)) {
                inputs.add(new Input.Settled());
            }
        } catch (Exception e) {
            // After `stop`, errors of the closing library are expected.
            if (!pacer.isStopped()) {
                fail(e instanceof Fault fault ? fault : Fault.fatal("publish", e));
            }
        }
    }

    private void send(JsonNode command) throws Fault {
        if (!usesSendCommands) {
            throw Fault.minor("send", "the schedule is not of the kind \"told\"");
        }
        role.pacer().addPlannedTime(command.path("at_ns").asLong());
    }

    private void fail(Fault fault) {
        inputs.add(new Input.Failure(fault));
    }

    private void close() throws InterruptedException {
        if (role != null) {
            startDaemon(() -> {
                try {
                    if (role.pacer() != null) {
                        role.pacer().stop();
                        role.pacer().publisher.close();
                    } else {
                        role.subscriber().close();
                    }
                } catch (Exception e) {
                    System.err.println("close: " + e);
                } finally {
                    inputs.add(new Input.Closed());
                }
            });
            long deadline = System.nanoTime() + CLOSE_TIMEOUT_NS;
            Input input;
            do {
                input = inputs.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } while (input != null && !(input instanceof Input.Closed));
            role.inbox().close();
        }
        Counts now = counters.read();
        emit(addCounts(createEvent("stopped"), now).put("cpu_ns", readCpuNs()).put("max_rss_bytes", readMaxRssBytes()));
    }

    private void reportProgress() {
        Counts now = counters.read();
        if (!now.equals(reported)) {
            reported = now;
            emit(addCounts(createEvent("progress"), now));
        }
    }

    private static ObjectNode createEvent(String name) {
        return JSON.createObjectNode().put("event", name);
    }

    private static ObjectNode addCounts(ObjectNode event, Counts now) {
        return event.put("sent", now.sent()).put("acknowledged", now.acknowledged()).put("failed", now.failed())
                .put("received", now.received());
    }

    private void emit(ObjectNode event) {
        byte[] line = (event + "\n").getBytes(StandardCharsets.UTF_8);
        events.write(line, 0, line.length);
        events.flush();
    }

    private static void startDaemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private static long readCpuNs() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Peak resident memory of this process (proc(5), VmHWM). */
    private static long readMaxRssBytes() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }
}
