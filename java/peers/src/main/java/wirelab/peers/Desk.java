package wirelab.peers;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A responder's side: records each request that arrives, and says what to answer. Any thread. */
public final class Desk {
    private final Inbox inbox;
    private final Park park;

    /** Whether what was asked could be done, and the answer's bytes. */
    public record Answer(boolean isDone, byte[] body) {
        private static Answer of(int spot) {
            return new Answer(true, Integer.toString(spot).getBytes(StandardCharsets.US_ASCII));
        }

        private static Answer refused(String why) {
            return new Answer(false, why.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Throws a fatal fault where there is no such application. */
    Desk(Inbox inbox, String application) throws Fault {
        this.inbox = inbox;
        park = switch (application) {
            case "", "echo" -> null;
            case "parking" -> new Park();
            default -> throw Fault.fatal("application " + application, "there are echo and parking");
        };
    }

    /** A request has arrived just now. `isDuplicate`: the protocol itself marked it as one. */
    public Answer answer(byte[] request, boolean isDuplicate) {
        inbox.deliver(request, isDuplicate);
        return park == null ? new Answer(true, request) : park.answer(Ask.read(request));
    }

    /** The connection is gone. */
    public void fault(Fault fault) {
        inbox.fault(fault);
    }

    /** The car park of 10 x 10: which spots are free, and who stands where. */
    private static final class Park {
        private static final int SPOTS = 100;

        private final TreeSet<Integer> free =
                IntStream.range(0, SPOTS).boxed().collect(Collectors.toCollection(TreeSet::new));
        private final Map<String, Integer> spotOf = new HashMap<>();

        private synchronized Answer answer(Ask ask) {
            if (ask == null) {
                return Answer.refused("not a request");
            }
            return switch (ask.verb()) {
                case "GET" -> reserve(ask.target());
                case "PUT" -> occupy(ask.target(), new String(ask.body(), StandardCharsets.US_ASCII));
                default -> leave(ask.target());
            };
        }

        /** The lowest free spot; a car that asks twice keeps the spot it has. */
        private Answer reserve(String car) {
            Integer spot = spotOf.get(car);
            if (spot == null) {
                spot = free.pollFirst();
                if (spot == null) {
                    return Answer.refused("full");
                }
                spotOf.put(car, spot);
            }
            return Answer.of(spot);
        }

        private Answer occupy(String car, String text) {
            if (!text.matches("\\d{1,3}")) {
                return Answer.refused("no spot");
            }
            Integer spot = Integer.valueOf(text);
            if (!spot.equals(spotOf.get(car)) && !free.remove(spot)) {
                return Answer.refused("taken");
            }
            spotOf.put(car, spot);
            return Answer.of(spot);
        }

        private Answer leave(String car) {
            Integer spot = spotOf.remove(car);
            if (spot == null) {
                return Answer.refused("not here");
            }
            free.add(spot);
            return Answer.of(spot);
        }
    }
}
