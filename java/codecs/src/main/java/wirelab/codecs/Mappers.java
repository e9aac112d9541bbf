package wirelab.codecs;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.dataformat.cbor.CBORGenerator;
import com.fasterxml.jackson.dataformat.cbor.CBORParser;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import com.fasterxml.jackson.dataformat.ion.IonObjectMapper;
import com.fasterxml.jackson.dataformat.smile.databind.SmileMapper;
import com.fasterxml.jackson.dataformat.xml.JacksonXmlAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.xml.XmlFactory;
import com.fasterxml.jackson.dataformat.xml.XmlMapper;
import com.fasterxml.jackson.dataformat.xml.XmlNameProcessors;
import com.fasterxml.jackson.dataformat.xml.deser.FromXmlParser;
import com.fasterxml.jackson.dataformat.xml.ser.ToXmlGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import de.undercouch.bson4jackson.BsonFactory;
import de.undercouch.bson4jackson.BsonGenerator;
import java.io.IOException;
import org.msgpack.jackson.dataformat.MessagePackMapper;
import org.yaml.snakeyaml.LoaderOptions;

/** Jackson's mappers by format, with the settings that the codec's row names. */
public final class Mappers {
    private Mappers() {}

    /** Throws IllegalArgumentException for a format that Jackson does not support. */
    public static ObjectMapper of(String format) {
        return switch (format) {
            case "json" -> with(new ObjectMapper(), true);
            case "xml" -> with(xml(), true);
            case "yaml" -> with(yaml(), true);
            case "cbor" -> with(cbor(), false);
            case "smile" -> with(new SmileMapper(), false);
            case "ion" -> with(IonObjectMapper.builderForBinaryWriters().build(), false);
            case "msgpack" -> with(new MessagePackMapper(), false);
            case "bson" -> with(new ObjectMapper(bson()), false);
            default -> throw new IllegalArgumentException("Jackson does not support the format " + format);
        };
    }

    /** JSON in which decimals are text, with all their digits. */
    static ObjectMapper withDecimalsAsText() {
        SimpleModule module = new SimpleModule("digits");
        module.addSerializer(Decimal.class, new Decimals.TextWriter());
        return of("json").registerModule(module);
    }

    /**
     * JSON for trees. If they hold decimals, all their numbers with a fraction or an exponent are
     * BigDecimal with its digits, which has no -0.
     */
    static ObjectMapper ofTrees(boolean hasDecimals) {
        ObjectMapper mapper = of("json");
        return hasDecimals
                ? mapper.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                        .configure(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES, false)
                : mapper;
    }

    private static final class Xml extends XmlMapper implements JacksonCodec.XmlNamed {
        private Xml(XmlFactory factory) {
            super(factory);
            setAnnotationIntrospector(new JacksonXmlAnnotationIntrospector() {
                /**
                 * A tuple is an element with an element for each item, not a list of equal
                 * elements.
                 */
                @Override
                public JsonFormat.Value findFormat(Annotated annotated) {
                    return null;
                }
            });
        }
    }

    private static ObjectMapper xml() {
        XmlFactory factory = XmlFactory.builder().xmlNameProcessor(XmlNameProcessors.newBase64Processor()).build();
        XmlMapper mapper = new Xml(factory);
        mapper.configure(ToXmlGenerator.Feature.WRITE_NULLS_AS_XSI_NIL, true);
        mapper.configure(FromXmlParser.Feature.PROCESS_XSI_NIL, true);
        return mapper;
    }

    private static ObjectMapper yaml() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        return new YAMLMapper(YAMLFactory.builder().loaderOptions(options).build());
    }

    /**
     * Negative bignums as in RFC 8949, section 3.4.3; by default the library writes their absolute
     * value.
     */
    private static ObjectMapper cbor() {
        return CBORMapper.builder()
                .enable(CBORGenerator.Feature.ENCODE_USING_STANDARD_NEGATIVE_BIGINT_ENCODING)
                .enable(CBORParser.Feature.DECODE_USING_STANDARD_NEGATIVE_BIGINT_ENCODING)
                .build();
    }

    private static BsonFactory bson() {
        return new BsonFactory().enable(BsonGenerator.Feature.WRITE_BIGDECIMALS_AS_DECIMAL128);
    }

    private static ObjectMapper with(ObjectMapper mapper, boolean isText) {
        SimpleModule module = new SimpleModule(isText ? "text" : "binary");
        module.addSerializer(Timestamp.class, new TimestampWriter(isText));
        module.addDeserializer(Timestamp.class, new TimestampReader(isText));
        module.addSerializer(Unsigned.class, new UnsignedWriter());
        module.addDeserializer(Unsigned.class, new UnsignedReader());
        module.addSerializer(Any.class, new AnyWriter());
        module.addDeserializer(Any.class, new AnyReader());
        module.addSerializer(Decimal.class, new Decimals.Writer());
        module.addDeserializer(Decimal.class, new Decimals.Reader());
        module.addSerializer(Union.class, mapper instanceof Xml ? new XmlUnions.Writer() : new UnionWriter());
        mapper.registerModules(new Jdk8Module(), module);
        // MessagePack's parser throws at the end of input instead of reporting it.
        return mapper.configure(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, !(mapper instanceof MessagePackMapper));
    }

    private static final class TimestampWriter extends StdSerializer<Timestamp> {
        private final boolean isText;

        private TimestampWriter(boolean isText) {
            super(Timestamp.class);
            this.isText = isText;
        }

        @Override
        public void serialize(Timestamp value, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (isText) {
                out.writeString(value.toString());
            } else {
                out.writeNumber(value.nanos());
            }
        }
    }

    private static final class TimestampReader extends StdDeserializer<Timestamp> {
        private final boolean isText;

        private TimestampReader(boolean isText) {
            super(Timestamp.class);
            this.isText = isText;
        }

        @Override
        public Timestamp deserialize(JsonParser in, DeserializationContext context) throws IOException {
            return isText ? Timestamp.parse(in.getText()) : Timestamp.ofNanos(in.getLongValue());
        }
    }

    private static final class UnsignedWriter extends StdSerializer<Unsigned> {
        private UnsignedWriter() {
            super(Unsigned.class);
        }

        @Override
        public void serialize(Unsigned value, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (value.bits() >= 0) {
                out.writeNumber(value.bits());
            } else {
                out.writeNumber(value.value());
            }
        }
    }

    private static final class UnsignedReader extends StdDeserializer<Unsigned> {
        private UnsignedReader() {
            super(Unsigned.class);
        }

        @Override
        public Unsigned deserialize(JsonParser in, DeserializationContext context) throws IOException {
            // XML and YAML deliver numbers as text.
            return Unsigned.of(in.currentToken().isNumeric()
                    ? in.getBigIntegerValue()
                    : new java.math.BigInteger(in.getText().trim()));
        }
    }
}
