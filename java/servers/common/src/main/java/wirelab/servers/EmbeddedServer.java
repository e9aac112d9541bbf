package wirelab.servers;

import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Command line and standard output of the embedded servers (docs/contracts/peer.md, "Built-in
 * servers").
 */
public final class EmbeddedServer {
    private static final int BAD_INPUT = 3;
    private static final int SAMPLING_PERIOD_MS = 500;

    private EmbeddedServer() {}

    /**
     * A listening server, which closing ends. `queueDepth` counts the messages queued at it; null
     * if it has no queues.
     */
    public record Running(
            String name, String version, Map<String, Object> limits, AutoCloseable server, LongSupplier queueDepth) {
        public Running(String name, String version, Map<String, Object> limits, AutoCloseable server) {
            this(name, version, limits, server, null);
        }
    }

    /** Starts a server. An exception is reported as the reason for the failure. */
    @FunctionalInterface
    public interface Starter {
        Running start(InetSocketAddress address, Map<String, String> options) throws Exception;
    }

    /**
     * Start the server, report that it is ready, and serve until standard input ends or a signal
     * arrives. `defaults` are the options of this server with their defaults. All servers have
     * `--listen`, and `--waiting` for a file of queue depths.
     */
    public static void run(String[] words, Map<String, String> defaults, Starter starter) {
        Map<String, String> options = new HashMap<>(defaults);
        options.put("listen", "");
        options.put("waiting", "");
        for (int i = 0; i < words.length; i += 2) {
            String name = words[i].startsWith("--") ? words[i].substring(2) : "";
            if (i + 1 == words.length || options.replace(name, words[i + 1]) == null) {
                refuse(words[i], "write it like --listen 127.0.0.1:5683; the options are "
                        + new TreeMap<>(options).keySet());
            }
        }
        String listen = options.get("listen");
        int colon = listen.lastIndexOf(':');
        if (colon < 0 || !listen.substring(colon + 1).matches("\\d{1,5}")) {
            refuse("--listen " + listen, "write it like --listen 127.0.0.1:5683");
        }
        PrintStream events = System.out;
        // Standard output carries the events only: the output of libraries goes to standard error.
        System.setOut(System.err);
        try {
            int port = Integer.parseInt(listen.substring(colon + 1));
            Running running = starter.start(new InetSocketAddress(listen.substring(0, colon), port), options);
            // Without this hook a signal would end the JVM with an exit code other than 0.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(running)));
            if (running.queueDepth() != null && !options.get("waiting").isEmpty()) {
                sampleQueueDepth(running.queueDepth(), Path.of(options.get("waiting")));
            }
            events.println(formatReady(running, listen));
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
            System.exit(0);
        } catch (Exception | LinkageError e) {
            refuse("listen on " + listen, innermostMessage(e));
        }
    }

    /** Run a broker, which has a data folder, and a certificate if its transport is encrypted. */
    public static void runBroker(String[] words, String protocol, Starter starter) {
        run(words, Map.of("protocol", protocol, "transport", "tcp", "data", "", "certificate", "", "key", ""), starter);
    }

    /**
     * Write the queue depth to a file twice a second: lines of time in ns (CLOCK_MONOTONIC) and
     * number of messages.
     */
    private static void sampleQueueDepth(LongSupplier queueDepth, Path path) throws IOException {
        Writer file = Files.newBufferedWriter(path);
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    file.write(System.nanoTime() + " " + queueDepth.getAsLong() + "\n");
                    file.flush();
                    Thread.sleep(SAMPLING_PERIOD_MS);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("queue depth: " + e);
            }
        }, "queue-depth");
        thread.setDaemon(true);
        thread.start();
    }

    /** The version in the name of the jar that a class comes from. */
    public static String findVersion(Class<?> type) {
        String jar = type.getProtectionDomain().getCodeSource().getLocation().getPath();
        return jar.substring(jar.lastIndexOf('-') + 1, jar.length() - ".jar".length());
    }

    /** Throws IOException if a TCP port is in use. Some libraries only log that. */
    public static void requireFreeTcpPort(InetSocketAddress address) throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(address);
        }
    }

    /** Throws IOException if a UDP port is in use. */
    public static void requireFreeUdpPort(InetSocketAddress address) throws IOException {
        new DatagramSocket(address).close();
    }

    private static void close(Running running) {
        try {
            running.server().close();
        } catch (Exception e) {
            System.err.println("close: " + e);
        }
        Runtime.getRuntime().halt(0);
    }

    private static String formatReady(Running running, String listen) {
        StringBuilder limits = new StringBuilder();
        new TreeMap<>(running.limits()).forEach((name, value) -> limits.append(limits.isEmpty() ? "" : ",")
                .append(quote(name)).append(':').append(value instanceof Number ? value : quote(value.toString())));
        return "{\"event\":\"ready\",\"name\":" + quote(running.name()) + ",\"version\":" + quote(running.version())
                + ",\"listen\":" + quote(listen) + ",\"limits\":{" + limits + "}}";
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String innermostMessage(Throwable error) {
        Throwable inner = error;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        String message = inner.getMessage();
        return message == null || message.isBlank() ? inner.getClass().getSimpleName() : message;
    }

    private static void refuse(String what, String why) {
        System.err.println(what + ": " + why);
        Runtime.getRuntime().halt(BAD_INPUT);
    }
}
