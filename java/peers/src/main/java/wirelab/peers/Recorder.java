package wirelab.peers;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;

/**
 * Writes the sample file of docs/contracts/peer.md through a shared memory map. One thread appends
 * records; any thread may record outcomes.
 */
final class Recorder {
    static final int ACKNOWLEDGED = 1;
    static final int FAILED = 2;
    static final int UNDECODABLE = 4;
    static final int UNKNOWN = 8;
    static final int DUPLICATE = 16;

    private static final int HEADER = 64;
    private static final int RECORD = 64;
    private static final int WRITTEN_AT = 16;
    private static final int MISSED_AT = 24;
    private static final long MAX_RECORDS = (Integer.MAX_VALUE - HEADER) / RECORD;
    private static final VarHandle LONGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final MappedByteBuffer map;
    private final long capacity;
    private long written;
    private long missed;

    private Recorder(MappedByteBuffer map, long capacity) {
        this.map = map;
        this.capacity = capacity;
    }

    static Recorder create(String path, long capacity) throws Fault {
        if (capacity < 0 || capacity > MAX_RECORDS) {
            throw Fault.fatal("samples " + path, "one file holds at most " + MAX_RECORDS + " records");
        }
        int length = HEADER + Math.toIntExact(capacity) * RECORD;
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            file.setLength(0);
            // Allocate the blocks now: on a full disk a later store to the map would kill the JVM.
            byte[] zeros = new byte[1 << 20];
            for (int at = 0; at < length; at += zeros.length) {
                file.write(zeros, 0, Math.min(zeros.length, length - at));
            }
            MappedByteBuffer map = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, length);
            map.order(ByteOrder.LITTLE_ENDIAN);
            map.put(0, "WLSAMP01".getBytes(StandardCharsets.US_ASCII));
            map.putInt(8, 1);
            map.putInt(12, RECORD);
            return new Recorder(map, capacity);
        } catch (IOException e) {
            throw Fault.fatal("samples " + path, e);
        }
    }

    void recordSent(long seq, long planned, long start, long sent, int bytes) {
        int at = allocate();
        if (at >= 0) {
            map.putLong(at, seq).putLong(at + 8, planned).putLong(at + 16, start).putLong(at + 24, sent);
            map.putInt(at + 56, bytes);
            publish();
        }
    }

    void recordReceived(long seq, long received, long decoded, int bytes, int flags) {
        int at = allocate();
        if (at >= 0) {
            map.putLong(at, seq).putLong(at + 40, received).putLong(at + 48, decoded);
            map.putInt(at + 56, bytes).putInt(at + 60, flags);
            publish();
        }
    }

    /** When message `seq` was handed to the library; the current time if it has no record. */
    long getSentNs(long seq) {
        return seq < capacity ? map.getLong(HEADER + (int) seq * RECORD + 24) : System.nanoTime();
    }

    /** Whether the outcome of message `seq` is recorded. */
    boolean isFinished(long seq) {
        return seq < capacity && (long) LONGS.getAcquire(map, HEADER + (int) seq * RECORD + 32) != 0;
    }

    /**
     * Record the outcome of message `seq`. Its record exists: it is written before the message is
     * sent.
     */
    void recordOutcome(long seq, long done, int flag) {
        if (seq < capacity) {
            int at = HEADER + (int) seq * RECORD;
            LONGS.setRelease(map, at + 32, done);
            INTS.getAndBitwiseOr(map, at + 60, flag);
        }
    }

    private int allocate() {
        if (written < capacity) {
            return HEADER + (int) written * RECORD;
        }
        LONGS.setRelease(map, MISSED_AT, ++missed);
        return -1;
    }

    private void publish() {
        // Readers read the count first: the record must be visible before it.
        LONGS.setRelease(map, WRITTEN_AT, ++written);
    }
}
