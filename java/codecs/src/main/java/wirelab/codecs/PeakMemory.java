package wirelab.codecs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Peak resident memory of this process: the JVM, compiled code and the used part of the heap. */
record PeakMemory(String codec, Phase phase, long peak_bytes) {
    /** VmHWM of /proc/self/status. */
    static long readBytes() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(one -> one.startsWith("VmHWM:")).findFirst()
                    .orElseThrow(() -> new IOException("/proc/self/status has no VmHWM"));
            return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
        }
    }
}
