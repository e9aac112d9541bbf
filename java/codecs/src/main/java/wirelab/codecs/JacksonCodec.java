package wirelab.codecs;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;

/** A format of Jackson, bound to native objects by annotations. */
public final class JacksonCodec<M> extends Codec<M, Void> {
    private final Pack<M> pack;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    public JacksonCodec(ObjectMapper mapper, Pack<M> pack) {
        this.pack = pack;
        writer = mapper.writerFor(pack.type()).withRootName(mapper instanceof XmlNamed ? pack.rootName() : null);
        reader = mapper.readerFor(pack.type());
    }

    /** Marks a mapper that writes the name of the message as the root element. */
    public interface XmlNamed {}

    @Override
    public void serialize(M message, Output out) throws Exception {
        writer.writeValue(out, message);
    }

    @Override
    public void decode(byte[] bytes, Checksum sum) throws Exception {
        pack.fold(convert(bytes), sum);
    }

    @Override
    public M convert(byte[] bytes) throws Exception {
        return reader.readValue(bytes);
    }
}
