package wirelab.peers;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;

/** The sample file of docs/contracts/peer.md, written through a shared memory map. One thread appends; any may finish. */
final class Samples {
    static final int ACKNOWLEDGED = 1;
    static final int FAILED = 2;
    static final int UNDECODABLE = 4;
    static final int UNKNOWN = 8;
    static final int DUPLICATE = 16;

    private static final int HEADER = 64;
    private static final int RECORD = 64;
    private static final int WRITTEN_AT = 16;
    private static final int MISSED_AT = 24;
    private static final long MOST = (Integer.MAX_VALUE - HEADER) / RECORD;
    private static final VarHandle LONGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final MappedByteBuffer map;
    private final long capacity;
    private long written;
    private long missed;

    private Samples(MappedByteBuffer map, long capacity) {
        this.map = map;
        this.capacity = capacity;
    }

    static Samples create(String path, long capacity) throws Fault {
        if (capacity < 0 || capacity > MOST) {
            throw Fault.fatal("samples " + path, "one file holds " + MOST + " records at most");
        }
        int length = HEADER + Math.toIntExact(capacity) * RECORD;
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            file.setLength(0);
            // Without its blocks a full disk would kill the JVM at some later store; here it is an error.
            byte[] zeros = new byte[1 << 20];
            for (int at = 0; at < length; at += zeros.length) {
                file.write(zeros, 0, Math.min(zeros.length, length - at));
            }
            MappedByteBuffer map = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, length);
            map.order(ByteOrder.LITTLE_ENDIAN);
            map.put(0, "WLSAMP01".getBytes(StandardCharsets.US_ASCII));
            map.putInt(8, 1);
            map.putInt(12, RECORD);
            return new Samples(map, capacity);
        } catch (IOException e) {
            throw Fault.fatal("samples " + path, e);
        }
    }

    void sent(long seq, long planned, long start, long sent, int bytes) {
        int at = next();
        if (at >= 0) {
            map.putLong(at, seq).putLong(at + 8, planned).putLong(at + 16, start).putLong(at + 24, sent);
            map.putInt(at + 56, bytes);
            publish();
        }
    }

    void received(long seq, long received, long decoded, int bytes, int flags) {
        int at = next();
        if (at >= 0) {
            map.putLong(at, seq).putLong(at + 40, received).putLong(at + 48, decoded);
            map.putInt(at + 56, bytes).putInt(at + 60, flags);
            publish();
        }
    }

    /** When message `seq` was handed over; now for one that has no record. */
    long sentNs(long seq) {
        return seq < capacity ? map.getLong(HEADER + (int) seq * RECORD + 24) : System.nanoTime();
    }

    /** Whether it is told already what became of message `seq`. */
    boolean isFinished(long seq) {
        return seq < capacity && (long) LONGS.getAcquire(map, HEADER + (int) seq * RECORD + 32) != 0;
    }

    /** What became of message `seq`. Its record is there: it is written before the message is handed over. */
    void finish(long seq, long done, int flag) {
        if (seq < capacity) {
            int at = HEADER + (int) seq * RECORD;
            LONGS.setRelease(map, at + 32, done);
            INTS.getAndBitwiseOr(map, at + 60, flag);
        }
    }

    private int next() {
        if (written < capacity) {
            return HEADER + (int) written * RECORD;
        }
        LONGS.setRelease(map, MISSED_AT, ++missed);
        return -1;
    }

    private void publish() {
        // Readers look at the count first: it must not run ahead of the record.
        LONGS.setRelease(map, WRITTEN_AT, ++written);
    }
}
