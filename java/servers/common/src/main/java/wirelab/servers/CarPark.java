package wirelab.servers;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The car park of docs/contracts/peer.md, "Requests and answers": GET reserves the lowest free
 * spot, PUT occupies a spot, DELETE frees it. Thread-safe.
 */
public final class CarPark {
    /** 10 x 10 spots. */
    private static final int SPOTS = 100;

    private final TreeSet<Integer> free = IntStream.range(0, SPOTS).boxed().collect(Collectors.toCollection(TreeSet::new));
    private final Map<String, Integer> spotOf = new HashMap<>();

    /** Carry out a request of a car. */
    public synchronized Answer answer(String method, String car, byte[] body) {
        return switch (method) {
            case "GET" -> reserve(car);
            case "PUT" -> occupy(car, new String(body, StandardCharsets.US_ASCII));
            case "DELETE" -> leave(car);
            default -> Answer.refuse("not a request");
        };
    }

    /** A car that already has a spot keeps it. */
    private Answer reserve(String car) {
        Integer spot = spotOf.get(car);
        if (spot == null) {
            spot = free.pollFirst();
            if (spot == null) {
                return Answer.refuse("full");
            }
            spotOf.put(car, spot);
        }
        return Answer.of(spot);
    }

    private Answer occupy(String car, String text) {
        if (!text.matches("\\d{1,3}")) {
            return Answer.refuse("no spot");
        }
        Integer spot = Integer.valueOf(text);
        if (!spot.equals(spotOf.get(car)) && !free.remove(spot)) {
            return Answer.refuse("taken");
        }
        spotOf.put(car, spot);
        return Answer.of(spot);
    }

    private Answer leave(String car) {
        Integer spot = spotOf.remove(car);
        if (spot == null) {
            return Answer.refuse("not here");
        }
        free.add(spot);
        return Answer.of(spot);
    }
}
