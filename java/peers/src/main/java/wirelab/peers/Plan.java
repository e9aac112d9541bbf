package wirelab.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** When each message is planned: t(i) = at + i * interval while i is below the count and t(i) before the end. */
final class Plan {
    private final String kind;
    private final long at;
    private final long interval;
    private final long count;
    private final long end;
    private final long[] times;

    private Plan(String kind, long at, long interval, long count, long end, long[] times) {
        this.kind = kind;
        this.at = at;
        this.interval = interval;
        this.count = count;
        this.end = end;
        this.times = times;
    }

    /** Check the schedule of a `start` command. Throws a fault that is not fatal. */
    static Plan of(long at, JsonNode schedule) throws Fault {
        if (schedule == null || !schedule.isObject()) {
            throw Fault.minor("start", "a publisher needs a schedule");
        }
        String kind = schedule.path("kind").asText();
        JsonNode count = schedule.path("count");
        JsonNode duration = schedule.path("duration_ns");
        switch (kind) {
            case "interval", "flood" -> {
                if (!count.isIntegralNumber() && !duration.isIntegralNumber()) {
                    throw Fault.minor("start", "neither count nor duration_ns bounds the schedule");
                }
                long interval = schedule.path("interval_ns").asLong();
                if (kind.equals("interval") && interval <= 0) {
                    throw Fault.minor("start", "interval_ns is " + interval + ", it must be above 0");
                }
                long end = duration.isIntegralNumber() ? at + duration.asLong() : Long.MAX_VALUE;
                long most = count.isIntegralNumber() ? count.asLong() : Long.MAX_VALUE;
                return new Plan(kind, at, interval, most, end, null);
            }
            case "times" -> {
                long[] times = times(schedule.path("times").asText());
                return new Plan(kind, at, 0, times.length, Long.MAX_VALUE, times);
            }
            case "told" -> {
                return new Plan(kind, at, 0, count.asLong(), Long.MAX_VALUE, null);
            }
            default -> throw Fault.minor("start", "schedule \"" + kind + "\" is not known");
        }
    }

    private static long[] times(String path) throws Fault {
        try {
            byte[] bytes = Files.readAllBytes(Path.of(path));
            if (bytes.length % 8 != 0) {
                throw Fault.minor("start", path + ": " + bytes.length + " bytes are no whole number of times");
            }
            long[] times = new long[bytes.length / 8];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(times);
            for (int i = 1; i < times.length; i++) {
                if (times[i] < times[i - 1]) {
                    throw Fault.minor("start", path + ": the times go backwards");
                }
            }
            return times;
        } catch (IOException e) {
            throw Fault.minor("start", path + ": " + e.getMessage());
        }
    }

    boolean isTold() {
        return kind.equals("told");
    }

    /** Whether message i is still part of the plan, if planned then. */
    boolean holds(long i, long planned) {
        return i < count && planned < end;
    }

    /** The planned time of message i, which the plan may not hold any more; `handedOver` is when the last one had been. */
    long planned(long i, long handedOver) {
        return switch (kind) {
            case "interval" -> at + i * interval;
            case "times" -> i < count ? at + times[(int) i] : Long.MAX_VALUE - 1;
            default -> i == 0 ? at : handedOver;
        };
    }
}
