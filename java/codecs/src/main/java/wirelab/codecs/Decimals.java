package wirelab.codecs;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.json.JsonGeneratorImpl;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.fasterxml.jackson.dataformat.cbor.CBORGenerator;
import com.fasterxml.jackson.dataformat.xml.deser.FromXmlParser;
import de.undercouch.bson4jackson.BsonGenerator;
import java.io.IOException;
import java.math.BigInteger;

/**
 * Decimals in Jackson's formats: a number literal in JSON, tag 4 in CBOR, decimal128 in BSON,
 * BigDecimal in a tree, text elsewhere, and for numbers that these do not hold.
 */
final class Decimals {
    /** The tag of a decimal fraction: RFC 8949, section 3.4.4. */
    private static final int FRACTION = 4;

    /** Digits of 2^127, beyond which Rust's libraries have text. */
    private static final int MOST_DIGITS = 39;

    /** Digits and exponents of decimal128: IEEE 754-2019, section 3.6. */
    private static final int MOST_DIGITS_128 = 34;

    private static final int LOWEST_EXPONENT_128 = -6176;
    private static final int HIGHEST_EXPONENT_128 = 6111;

    private Decimals() {}

    static final class Writer extends StdSerializer<Decimal> {
        Writer() {
            super(Decimal.class);
        }

        @Override
        public void serialize(Decimal value, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (out instanceof JsonGeneratorImpl) {
                out.writeNumber(value.text());
            } else if (out instanceof TokenBuffer) {
                out.writeNumber(value.parts().toBigDecimal());
            } else if (out instanceof CBORGenerator cbor) {
                writeCbor(value, cbor);
            } else if (out instanceof BsonGenerator) {
                writeBson(value, out);
            } else {
                out.writeString(value.text());
            }
        }

        private static void writeCbor(Decimal value, CBORGenerator out) throws IOException {
            Decimal.Parts parts = value.parts();
            if (isFraction(parts)) {
                writeFraction(parts, out);
            } else {
                out.writeString(value.text());
            }
        }

        private static void writeBson(Decimal value, JsonGenerator out) throws IOException {
            Decimal.Parts parts = value.parts();
            if (isDecimal128(parts)) {
                out.writeNumber(parts.toBigDecimal());
            } else {
                out.writeString(value.text());
            }
        }

        private static boolean isFraction(Decimal.Parts parts) {
            boolean isShort = !parts.isNegativeZero() && parts.digits().length() <= MOST_DIGITS;
            return isShort && parts.coefficient().bitLength() <= 127;
        }

        private static boolean isDecimal128(Decimal.Parts parts) {
            boolean isShort = !parts.isNegativeZero() && parts.digits().length() <= MOST_DIGITS_128;
            return isShort && LOWEST_EXPONENT_128 <= parts.exponent() && parts.exponent() <= HIGHEST_EXPONENT_128;
        }

        private static void writeFraction(Decimal.Parts parts, CBORGenerator out) throws IOException {
            BigInteger coefficient = parts.coefficient();
            out.writeTag(FRACTION);
            out.writeStartArray(null, 2);
            out.writeNumber(parts.exponent());
            if (coefficient.bitLength() < 64) {
                out.writeNumber(coefficient.longValue());
            } else {
                out.writeNumber(coefficient);
            }
            out.writeEndArray();
        }
    }

    static final class TextWriter extends StdSerializer<Decimal> {
        TextWriter() {
            super(Decimal.class);
        }

        @Override
        public void serialize(Decimal value, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeString(value.text());
        }
    }

    static final class Reader extends StdDeserializer<Decimal> {
        Reader() {
            super(Decimal.class);
        }

        @Override
        public Decimal deserialize(JsonParser in, DeserializationContext context) throws IOException {
            boolean isScalar = in instanceof FromXmlParser || in.currentToken().isScalarValue();
            return isScalar
                    ? Decimal.parse(AnyReader.readText(in, this, context))
                    : (Decimal) context.handleUnexpectedToken(Decimal.class, in);
        }
    }
}
