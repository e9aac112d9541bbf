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
 * Wall time and CPU time of this thread and of the JVM's own thread, which collects garbage (with the serial collector):
 * a library that allocates much pays for it there. Linux counts a thread's CPU time in its schedstat, in ns.
 */
final class Clock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RandomAccessFile collector = open();
    private final byte[] line = new byte[128];
    private long wall;
    private long cpu;
    private long collecting;

    void start() {
        collecting = collectorNs();
        wall = System.nanoTime();
        cpu = THREADS.getCurrentThreadCpuTime();
    }

    void stop() {
        cpu = THREADS.getCurrentThreadCpuTime() - cpu;
        wall = System.nanoTime() - wall;
        collecting = collectorNs() - collecting;
    }

    long wallNs() {
        return wall;
    }

    long cpuNs() {
        return cpu + collecting;
    }

    private long collectorNs() {
        try {
            collector.seek(0);
            int length = collector.read(line);
            String text = new String(line, 0, Math.max(length, 0), StandardCharsets.US_ASCII);
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RandomAccessFile open() {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                if (Files.readString(task.resolve("comm")).strip().equals("VM Thread")) {
                    return new RandomAccessFile(task.resolve("schedstat").toFile(), "r");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("this JVM has no VM Thread whose CPU time could be read");
    }
}
