package wirelab.servers;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Numbers from 0, each free or held by a target. A target holds at most one. */
final class Pool {
    private final TreeSet<Integer> free;
    private final Map<String, Integer> held = new HashMap<>();

    Pool(int size) {
        free = IntStream.range(0, size).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    /** Give a target the lowest free number. A target that already holds a number keeps it. */
    int take(String target) throws Refusal {
        Integer number = held.get(target);
        if (number == null) {
            number = free.pollFirst();
            if (number == null) {
                throw new Refusal("full");
            }
            held.put(target, number);
        }
        return number;
    }

    /** Give a target this number instead of the one it holds. */
    int hold(String target, int number) throws Refusal {
        Integer before = held.get(target);
        if (before == null || before != number) {
            if (!free.remove(number)) {
                throw new Refusal("taken");
            }
            held.put(target, number);
            if (before != null) {
                free.add(before);
            }
        }
        return number;
    }

    /** Free the number that a target holds. */
    int release(String target) throws Refusal {
        Integer number = held.remove(target);
        if (number == null) {
            throw new Refusal("not here");
        }
        free.add(number);
        return number;
    }
}
