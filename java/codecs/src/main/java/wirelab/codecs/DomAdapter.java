package wirelab.codecs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A codec whose messages are trees of JSON. What is timed is the codec of trees itself; native objects pass through a tree, so
 * that the round trip is checked as that of any other codec.
 */
public final class DomAdapter<M, O> extends Codec<M, O> {
    private final ObjectMapper json = Mappers.of("json");
    private final Codec<JsonNode, O> trees;
    private final Pack<M> pack;

    public DomAdapter(Codec<JsonNode, O> trees, Pack<M> pack) {
        this.trees = trees;
        this.pack = pack;
    }

    Codec<JsonNode, O> trees() {
        return trees;
    }

    @Override
    public void serialize(M message, Output out) throws Exception {
        trees.serialize(json.valueToTree(message), out);
    }

    @Override
    public void decode(byte[] bytes, Checksum sum) throws Exception {
        trees.decode(bytes, sum);
    }

    @Override
    public M convert(byte[] bytes) throws Exception {
        return json.readerFor(pack.type()).readValue(trees.convert(bytes));
    }
}
