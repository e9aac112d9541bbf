package wirelab.actors;

import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.common.TopicPartition;

/**
 * One epoch: `count` messages, which repeat the corpus from `first` (inclusive) to `end`
 * (exclusive). A partition keeps the order, so message i has the same index in both topics and
 * carries no timestamps.
 */
record Epoch(int number, int first, int end, AtomicLongArray sent, long[] lags) {
    static Epoch of(int number, int first, int end, int count) {
        return new Epoch(number, first, end, new AtomicLongArray(count), new long[count]);
    }

    int count() {
        return lags.length;
    }

    /** The corpus index of message i. */
    int index(int i) {
        return first + i % (end - first);
    }

    TopicPartition fromAToB(String prefix) {
        return new TopicPartition(prefix + "-ab-" + number, 0);
    }

    TopicPartition fromBToC(String prefix) {
        return new TopicPartition(prefix + "-bc-" + number, 0);
    }
}
