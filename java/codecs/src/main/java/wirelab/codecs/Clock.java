package wirelab.codecs;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Measures wall time, and CPU time of this thread and of the JVM's VM thread. The serial collector
 * runs on the VM thread, so the time includes garbage collection. Linux reports a thread's CPU time
 * in its schedstat, in ns.
 */
final class Clock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RandomAccessFile collector = openSchedstat();
    private final byte[] line = new byte[128];
    private long wall;
    private long cpu;
    private long collecting;

    void start() {
        collecting = readCollectorNs();
        wall = System.nanoTime();
        cpu = THREADS.getCurrentThreadCpuTime();
    }

    void stop() {
        cpu = THREADS.getCurrentThreadCpuTime() - cpu;
        wall = System.nanoTime() - wall;
        collecting = readCollectorNs() - collecting;
    }

    long wallNs() {
        return wall;
    }

    long cpuNs() {
        return cpu + collecting;
    }

    private long readCollectorNs() {
        try {
            collector.seek(0);
            int length = collector.read(line);
            String text = new String(line, 0, Math.max(length, 0), StandardCharsets.US_ASCII);
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RandomAccessFile openSchedstat() {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                if (Files.readString(task.resolve("comm")).strip().equals("VM Thread")) {
                    return new RandomAccessFile(task.resolve("schedstat").toFile(), "r");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("cannot read the garbage collector's CPU time: this JVM has no thread named VM Thread");
    }
}
