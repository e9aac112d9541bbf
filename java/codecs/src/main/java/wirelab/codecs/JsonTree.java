package wirelab.codecs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;

/** JSON as Jackson's tree. */
final class JsonTree<M> extends Codec<JsonNode, Void> {
    private final ObjectMapper json;
    private final ObjectWriter writer;
    private final ObjectReader reader;
    private final Pack<M> pack;

    JsonTree(Pack<M> pack) {
        this.pack = pack;
        json = Mappers.ofTrees(pack.hasDecimals());
        writer = json.writerFor(JsonNode.class);
        reader = json.readerFor(JsonNode.class);
    }

    @Override
    public void serialize(JsonNode message, Output out) throws Exception {
        writer.writeValue(out, message);
    }

    /** For the round-trip check only; not a phase of this codec. */
    @Override
    public void decode(byte[] bytes, Checksum sum) throws Exception {
        M message = json.readerFor(pack.type()).readValue(convert(bytes));
        pack.fold(message, sum);
    }

    @Override
    public JsonNode convert(byte[] bytes) throws Exception {
        return reader.readValue(bytes);
    }
}
