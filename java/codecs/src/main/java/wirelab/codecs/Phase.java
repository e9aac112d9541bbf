package wirelab.codecs;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The phases of a codec (docs/contracts/pack.md). */
enum Phase {
    POPULATE,
    ENCODE,
    ACCESS,
    ACCESS_VALIDATED,
    DECODE,
    CONVERT,
    SERIALIZE,
    DESERIALIZE;

    static Phase of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    @JsonValue
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
