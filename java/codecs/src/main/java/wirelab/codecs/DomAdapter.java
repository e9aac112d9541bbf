package wirelab.codecs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Adapts a codec whose messages are JSON trees to native objects, so that its round trip is checked
 * like that of other codecs. The benchmark times the inner codec, without the conversion between
 * native objects and trees.
 */
public final class DomAdapter<M, O> extends Codec<M, O> {
    private final ObjectMapper json;
    private final Codec<JsonNode, O> trees;
    private final Pack<M> pack;

    public DomAdapter(Codec<JsonNode, O> trees, Pack<M> pack) {
        this.trees = trees;
        this.pack = pack;
        json = Mappers.ofTrees(pack.hasDecimals());
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
