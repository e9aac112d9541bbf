package wirelab.codecs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The messages under test as text and as native objects, and the pack that encodes them. */
public record Corpus<M>(Pack<M> pack, ObjectMapper json, List<String> lines, List<M> messages) {
    /**
     * Read JSON Lines as normalized by the control plane. Throws IOException for messages that do
     * not match the schema.
     */
    public static <M> Corpus<M> read(Pack<M> pack, Path path) throws IOException {
        ObjectMapper json = Mappers.of("json");
        ObjectReader reader = json.readerFor(pack.type());
        List<String> lines = new ArrayList<>();
        List<M> messages = new ArrayList<>();
        // Split at \n only: a message may contain other line separators.
        for (String line : new String(Files.readAllBytes(path), StandardCharsets.UTF_8).split("\n")) {
            if (!line.isBlank()) {
                lines.add(line);
                messages.add(reader.readValue(line));
            }
        }
        if (messages.isEmpty()) {
            throw new IOException("no messages");
        }
        return new Corpus<>(pack, json, lines, messages);
    }

    /** The codec named `format/library`. */
    public Codec<M, ?> open(String name) throws Exception {
        String format = name.substring(0, name.indexOf('/'));
        String library = name.substring(name.indexOf('/') + 1);
        if (library.equals("jackson-dom")) {
            return new DomAdapter<>(new JsonTree<>(pack), pack);
        }
        boolean isJackson = library.contains("jackson");
        return isJackson ? new JacksonCodec<>(Mappers.of(format), pack) : pack.open(name);
    }

    /** All messages as JSON trees. */
    List<JsonNode> parseTrees() throws IOException {
        ObjectMapper reader = Mappers.ofTrees(pack.hasDecimals());
        List<JsonNode> trees = new ArrayList<>();
        for (String line : lines) {
            trees.add(reader.readTree(line));
        }
        return trees;
    }

    /** All messages, encoded by this codec. */
    List<byte[]> encodeAll(Codec<M, ?> codec) throws Exception {
        List<byte[]> all = new ArrayList<>();
        Output out = new Output();
        for (M message : messages) {
            out.clear();
            codec.serialize(message, out);
            all.add(out.copy());
        }
        return all;
    }
}
