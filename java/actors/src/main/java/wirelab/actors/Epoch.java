package wirelab.actors;

import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.common.TopicPartition;

/**
 * One epoch: `count` messages of the corpus from `first` to before `end`, over and over. Message i of the one topic is message i
 * of the other, since one partition keeps order, so its times need not travel with it.
 */
record Epoch(int number, int first, int end, AtomicLongArray sent, long[] lags) {
    static Epoch of(int number, int first, int end, int count) {
        return new Epoch(number, first, end, new AtomicLongArray(count), new long[count]);
    }

    int count() {
        return lags.length;
    }

    /** Which message of the corpus is message i. */
    int index(int i) {
        return first + i % (end - first);
    }

    /** From A to B. */
    TopicPartition handed(String prefix) {
        return new TopicPartition(prefix + "-ab-" + number, 0);
    }

    /** From B to C. */
    TopicPartition passed(String prefix) {
        return new TopicPartition(prefix + "-bc-" + number, 0);
    }
}
