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

/** What every server here takes on its command line and says on standard output (docs/contracts/peer.md, "Built-in servers"). */
public final class Embedded {
    private static final int BAD_INPUT = 3;
    private static final int PERIOD_MS = 500;

    private Embedded() {}

    /** A server that listens; it ends when it is closed. `waiting` counts the messages that wait at it, null where nothing does. */
    public record Running(String name, String version, Map<String, Object> limits, AutoCloseable server, LongSupplier waiting) {
        public Running(String name, String version, Map<String, Object> limits, AutoCloseable server) {
            this(name, version, limits, server, null);
        }
    }

    /** Starts a server. Whatever it throws is told as the reason why there is none. */
    @FunctionalInterface
    public interface Start {
        Running at(InetSocketAddress address, Map<String, String> options) throws Exception;
    }

    /**
     * Start the server, say that it is ready, and serve until standard input ends or a signal comes. `defaults` are the
     * options beside `--listen`, and `--waiting` for a file of what waits, with what they are where the command line does not name them.
     */
    public static void run(String[] words, Map<String, String> defaults, Start start) {
        Map<String, String> options = new HashMap<>(defaults);
        options.put("listen", "");
        options.put("waiting", "");
        for (int i = 0; i < words.length; i += 2) {
            String name = words[i].startsWith("--") ? words[i].substring(2) : "";
            if (i + 1 == words.length || options.replace(name, words[i + 1]) == null) {
                refuse(words[i], "write it like --listen 127.0.0.1:5683; there are " + new TreeMap<>(options).keySet());
            }
        }
        String listen = options.get("listen");
        int colon = listen.lastIndexOf(':');
        if (colon < 0 || !listen.substring(colon + 1).matches("\\d{1,5}")) {
            refuse("--listen " + listen, "write it like --listen 127.0.0.1:5683");
        }
        PrintStream events = System.out;
        // What libraries print goes to the log.
        System.setOut(System.err);
        try {
            int port = Integer.parseInt(listen.substring(colon + 1));
            Running running = start.at(new InetSocketAddress(listen.substring(0, colon), port), options);
            // A signal ends the JVM with a code of its own; this one ends with 0.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(running)));
            if (running.waiting() != null && !options.get("waiting").isEmpty()) {
                watch(running.waiting(), Path.of(options.get("waiting")));
            }
            events.println(ready(running, listen));
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
            System.exit(0);
        } catch (Exception | LinkageError e) {
            refuse("listen on " + listen, innermost(e));
        }
    }

    /** Likewise a broker, which keeps its files in a folder, and shows a certificate where its transport is encrypted. */
    public static void runBroker(String[] words, String protocol, Start start) {
        run(words, Map.of("protocol", protocol, "transport", "tcp", "data", "", "certificate", "", "key", ""), start);
    }

    /** Write down how many messages wait, twice a second: lines of ns (CLOCK_MONOTONIC) and number. */
    private static void watch(LongSupplier waiting, Path path) throws IOException {
        Writer file = Files.newBufferedWriter(path);
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    file.write(System.nanoTime() + " " + waiting.getAsLong() + "\n");
                    file.flush();
                    Thread.sleep(PERIOD_MS);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("waiting: " + e);
            }
        }, "waiting");
        thread.setDaemon(true);
        thread.start();
    }

    /** The version of the library that a class comes from, as the name of its jar says. */
    public static String version(Class<?> part) {
        String jar = part.getProtectionDomain().getCodeSource().getLocation().getPath();
        return jar.substring(jar.lastIndexOf('-') + 1, jar.length() - ".jar".length());
    }

    /** Throws IOException where a TCP port is taken, which some libraries only log. */
    public static void needTcp(InetSocketAddress address) throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(address);
        }
    }

    /** Throws IOException where a UDP port is taken. */
    public static void needUdp(InetSocketAddress address) throws IOException {
        new DatagramSocket(address).close();
    }

    private static void end(Running running) {
        try {
            running.server().close();
        } catch (Exception e) {
            System.err.println("close: " + e);
        }
        Runtime.getRuntime().halt(0);
    }

    private static String ready(Running running, String listen) {
        StringBuilder limits = new StringBuilder();
        new TreeMap<>(running.limits()).forEach((name, value) -> limits.append(limits.isEmpty() ? "" : ",")
                .append(quoted(name)).append(':').append(value instanceof Number ? value : quoted(value.toString())));
        return "{\"event\":\"ready\",\"name\":" + quoted(running.name()) + ",\"version\":" + quoted(running.version())
                + ",\"listen\":" + quoted(listen) + ",\"limits\":{" + limits + "}}";
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String innermost(Throwable error) {
        Throwable inner = error;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        String words = inner.getMessage();
        return words == null || words.isBlank() ? inner.getClass().getSimpleName() : words;
    }

    private static void refuse(String what, String why) {
        System.err.println(what + ": " + why);
        Runtime.getRuntime().halt(BAD_INPUT);
    }
}
