package wirelab.peers;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The encoded corpus. Identifies arriving messages by their content, or by a sequence number in a
 * header.
 */
final class Corpus {
    private static final int HEADER = 8;

    private final byte[][] messages;
    private final Map<Content, Integer> index = new HashMap<>();
    private final boolean hasHeader;

    /** A byte array as a hash key. */
    private record Content(byte[] bytes, int hash) {
        static Content of(byte[] bytes) {
            return new Content(bytes, Arrays.hashCode(bytes));
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Content content && hash == content.hash && Arrays.equals(bytes, content.bytes);
        }
    }

    Corpus(Payload payload, boolean hasHeader) throws Fault {
        this.hasHeader = hasHeader;
        messages = new byte[payload.size()][];
        for (int i = 0; i < messages.length; i++) {
            messages[i] = payload.encode(i);
            index.putIfAbsent(Content.of(messages[i]), i);
        }
    }

    int countDistinct() {
        return index.size();
    }

    long smallestSize() {
        return Arrays.stream(messages).mapToLong(message -> message.length).min().orElse(0);
    }

    long largestSize() {
        return Arrays.stream(messages).mapToLong(message -> message.length).max().orElse(0);
    }

    /** The message with its sequence number as a header, if the corpus uses headers. */
    byte[] addHeader(long seq, byte[] message) {
        if (!hasHeader) {
            return message;
        }
        byte[] whole = new byte[HEADER + message.length];
        for (int i = 0; i < HEADER; i++) {
            whole[i] = (byte) (seq >>> 8 * i);
        }
        System.arraycopy(message, 0, whole, HEADER, message.length);
        return whole;
    }

    byte[] stripHeader(byte[] arrival) {
        return hasHeader && arrival.length >= HEADER ? Arrays.copyOfRange(arrival, HEADER, arrival.length) : arrival;
    }

    /**
     * The corpus index, or with headers the sequence number; -1 for content that is not in the
     * corpus.
     */
    long identify(byte[] arrival) {
        if (!hasHeader) {
            return index.getOrDefault(Content.of(arrival), -1);
        }
        if (arrival.length < HEADER) {
            return -1;
        }
        long seq = 0;
        for (int i = HEADER - 1; i >= 0; i--) {
            seq = seq << 8 | arrival[i] & 0xff;
        }
        byte[] expected = messages[(int) Long.remainderUnsigned(seq, messages.length)];
        return Arrays.equals(expected, 0, expected.length, arrival, HEADER, arrival.length) ? seq : -1;
    }
}
