package wirelab.codecs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import wirelab.codecs.Differences.Difference;

/**
 * Checks the round trip: decoding an encoded message must give the same JSON. Names every
 * difference.
 */
final class RoundTripCheck<M> {
    private static final int MAX_LOSSES = 50;

    /**
     * A kind of difference at a path: its first occurrence, and the number of affected messages.
     */
    record Loss(String path, String kind, int count, int message, String sent, String received) {}

    /**
     * `checksum` is the sum of the messages' checksums, in hexadecimal. `failed` is the reason if a
     * message has none.
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Verdict(String codec, int messages, int equal, String checksum, List<Loss> losses, String failed) {}

    private final Corpus<M> corpus;
    private final Map<String, Loss> losses = new LinkedHashMap<>();
    private int equal;
    private long total;

    private RoundTripCheck(Corpus<M> corpus) {
        this.corpus = corpus;
    }

    /**
     * `foreign` are the messages as another program encoded them; null to encode them with this
     * codec.
     */
    static <M> Verdict run(Corpus<M> corpus, String name, List<byte[]> foreign) {
        RoundTripCheck<M> check = new RoundTripCheck<>(corpus);
        String failed = check.checkAll(name, foreign);
        return new Verdict(name, corpus.messages().size(), check.equal, failed == null
                ? String.format("%016x", check.total) : "", new ArrayList<>(check.losses.values()), failed);
    }

    /** Returns the reason of a failure, null if there is none. */
    private String checkAll(String name, List<byte[]> foreign) {
        int index = 0;
        try {
            Codec<M, ?> codec = corpus.open(name);
            List<byte[]> encoded = foreign;
            Output out = new Output();
            for (; index < corpus.messages().size(); index++) {
                if (foreign == null) {
                    out.clear();
                    codec.serialize(corpus.messages().get(index), out);
                }
                check(codec, index, foreign == null ? out.copy() : encoded.get(index));
            }
            return null;
        } catch (Exception | StackOverflowError | LinkageError e) {
            return "message " + index + ": " + e;
        }
    }

    private void check(Codec<M, ?> codec, int index, byte[] bytes) throws Exception {
        Checksum sum = new Checksum();
        codec.decode(bytes, sum);
        total += sum.value();
        ObjectMapper json = corpus.json();
        JsonNode sent = json.readTree(corpus.lines().get(index));
        M message = codec.convert(bytes);
        JsonNode received = json.readTree(json.writerFor(corpus.pack().type()).writeValueAsBytes(message));
        List<Difference> inTree = Differences.find(sent, received);
        Checksum given = new Checksum();
        corpus.pack().fold(corpus.messages().get(index), given);
        List<Difference> found = inTree.isEmpty() && given.value() != sum.value()
                ? Differences.findDigits(corpus.messages().get(index), message)
                : inTree;
        equal += found.isEmpty() ? 1 : 0;
        found.stream().map(one -> one.path() + "\n" + one.kind()).distinct().forEach(key -> count(key, index, found));
    }

    private void count(String key, int index, List<Difference> found) {
        Loss known = losses.get(key);
        if (known != null) {
            losses.put(key, new Loss(known.path(), known.kind(), known.count() + 1, known.message(), known.sent(),
                    known.received()));
        } else if (losses.size() < MAX_LOSSES) {
            Difference first = found.stream()
                    .filter(one -> key.equals(one.path() + "\n" + one.kind())).findFirst().orElseThrow();
            losses.put(key, new Loss(first.path(), first.kind(), 1, index, first.sent(), first.received()));
        }
    }
}
