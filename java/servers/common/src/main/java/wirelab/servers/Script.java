package wirelab.servers;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** What a responder does with each request: docs/contracts/peer.md, "Scripts". Thread-safe. */
public final class Script {
    private static final Set<String> METHODS = Set.of("GET", "PUT", "DELETE");
    private static final Set<String> EFFECTS = Set.of("take", "hold", "release", "reply");
    private static final int MOST_NUMBERS = 1 << 16;
    private static final long LONGEST_NS = 1_000_000_000;

    private final Map<String, Pool> pools = new HashMap<>();
    private final Map<String, Rule> rules = new HashMap<>();
    private final long serviceTimeNs;

    /** The pool is null for a reply. */
    private record Rule(String effect, String poolName, Pool pool, String answer) {}

    /** Throws IllegalArgumentException for a script that cannot be carried out. */
    public Script(JsonNode script) {
        script.path("pools").properties().forEach(pool -> pools.put(pool.getKey(), createPool(pool.getValue())));
        script.path("on").properties().forEach(rule -> rules.put(rule.getKey(), createRule(rule.getKey(), rule.getValue())));
        serviceTimeNs = script.path("service_time_ns").asLong();
        require(serviceTimeNs >= 0 && serviceTimeNs <= LONGEST_NS, "a service time is 0 to " + LONGEST_NS + " ns");
    }

    /** The script of a text. Throws IllegalArgumentException. */
    public static Script parse(String json) {
        try {
            return new Script(JsonMapper.builder().build().readTree(json));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("script: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * Answer a request after the service time, one at a time. `method` is "" for a message that is
     * not a request. `echo` is the answer where no rule applies.
     */
    public synchronized Answer answer(String method, String target, byte[] body, byte[] echo) {
        long end = System.nanoTime() + serviceTimeNs;
        for (long left = serviceTimeNs; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        if (!rules.isEmpty() && !METHODS.contains(method)) {
            return Answer.refuse("not a request");
        }
        Rule rule = rules.get(method);
        if (rule == null) {
            return new Answer(true, echo);
        }
        if (rule.pool() == null) {
            return Answer.accept(rule.answer());
        }
        try {
            int number = switch (rule.effect()) {
                case "take" -> rule.pool().take(target);
                case "hold" -> rule.pool().hold(target, parseNumber(rule, body));
                default -> rule.pool().release(target);
            };
            return Answer.accept(rule.answer().replace("{number}", Integer.toString(number)));
        } catch (Refusal e) {
            return Answer.refuse(e.getMessage());
        }
    }

    private static int parseNumber(Rule rule, byte[] body) throws Refusal {
        String text = new String(body, StandardCharsets.ISO_8859_1);
        if (!text.matches("[0-9]{1,9}")) {
            throw new Refusal("no " + rule.poolName());
        }
        return Integer.parseInt(text);
    }

    private static Pool createPool(JsonNode size) {
        require(size.isInt() && size.asInt() >= 1 && size.asInt() <= MOST_NUMBERS, "a pool has 1 to " + MOST_NUMBERS + " numbers");
        return new Pool(size.asInt());
    }

    private Rule createRule(String method, JsonNode rule) {
        String effect = rule.path("effect").asText();
        String name = rule.path("pool").asText();
        Pool pool = effect.equals("reply") ? null : pools.get(name);
        require(METHODS.contains(method), "the methods are GET, PUT and DELETE");
        require(EFFECTS.contains(effect) && rule.path("answer").isTextual(),
                "a rule has an effect (take, hold, release or reply) and an answer");
        require(effect.equals("reply") || pool != null, "pool \"" + name + "\" is not one of its pools");
        return new Rule(effect, name, pool, rule.path("answer").asText());
    }

    private static void require(boolean isTrue, String why) {
        if (!isTrue) {
            throw new IllegalArgumentException("script: " + why);
        }
    }
}
