package wirelab.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** The planned send times: t(i) = at + i * interval, while i < count and t(i) < end. */
final class Schedule {
    private final String kind;
    private final long at;
    private final long interval;
    private final long count;
    private final long end;
    private final long[] times;

    private Schedule(String kind, long at, long interval, long count, long end, long[] times) {
        this.kind = kind;
        this.at = at;
        this.interval = interval;
        this.count = count;
        this.end = end;
        this.times = times;
    }

    /** Parse the schedule of a `start` command. Throws a fault that is not fatal. */
    static Schedule of(long at, JsonNode schedule) throws Fault {
        if (schedule == null || !schedule.isObject()) {
            throw Fault.minor("start", "a publisher needs a schedule");
        }
        String kind = schedule.path("kind").asText();
        JsonNode count = schedule.path("count");
        JsonNode duration = schedule.path("duration_ns");
        switch (kind) {
            case "interval", "flood" -> {
                if (!count.isIntegralNumber() && !duration.isIntegralNumber()) {
                    throw Fault.minor("start", "the schedule needs count or duration_ns");
                }
                long interval = schedule.path("interval_ns").asLong();
                if (kind.equals("interval") && interval <= 0) {
                    throw Fault.minor("start", "interval_ns is " + interval + ", but must be positive");
                }
                long end = duration.isIntegralNumber() ? at + duration.asLong() : Long.MAX_VALUE;
                long limit = count.isIntegralNumber() ? count.asLong() : Long.MAX_VALUE;
                return new Schedule(kind, at, interval, limit, end, null);
            }
            case "times" -> {
                long[] times = readTimes(schedule.path("times").asText());
                return new Schedule(kind, at, 0, times.length, Long.MAX_VALUE, times);
            }
            case "told" -> {
                return new Schedule(kind, at, 0, count.asLong(), Long.MAX_VALUE, null);
            }
            default -> throw Fault.minor("start", "unknown schedule \"" + kind + "\"");
        }
    }

    private static long[] readTimes(String path) throws Fault {
        try {
            byte[] bytes = Files.readAllBytes(Path.of(path));
            if (bytes.length % 8 != 0) {
                throw Fault.minor("start", path + ": " + bytes.length + " bytes are not a multiple of 8");
            }
            long[] times = new long[bytes.length / 8];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(times);
            for (int i = 1; i < times.length; i++) {
                if (times[i] < times[i - 1]) {
                    throw Fault.minor("start", path + ": the times are not in ascending order");
                }
            }
            return times;
        } catch (IOException e) {
            throw Fault.minor("start", path + ": " + e.getMessage());
        }
    }

    /** Whether `send` commands give the planned times. */
    boolean usesSendCommands() {
        return kind.equals("told");
    }

    /** Whether message i, planned at this time, is part of the schedule. */
    boolean holds(long i, long planned) {
        return i < count && planned < end;
    }

    /**
     * The planned time of message i, even beyond the end. `handedOver` is when the message before
     * it was handed to the library.
     */
    long planned(long i, long handedOver) {
        return switch (kind) {
            case "interval" -> at + i * interval;
            case "times" -> i < count ? at + times[(int) i] : Long.MAX_VALUE - 1;
            default -> i == 0 ? at : handedOver;
        };
    }
}
