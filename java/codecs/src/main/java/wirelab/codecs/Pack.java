package wirelab.codecs;

import com.fasterxml.jackson.core.type.TypeReference;

/** What the generated class `wirelab.pack.Generated` gives: one payload's native type and codecs. */
public interface Pack<M> {
    TypeReference<M> type();

    /** The name of a message in formats that name it (XML). */
    String rootName();

    /** Read every field of a native message. */
    void fold(M message, Checksum sum);

    /** A codec of a format that needs generated code, by `format/library`. Throws IllegalArgumentException. */
    Codec<M, ?> open(String name) throws Exception;

    static Pack<?> load() throws ReflectiveOperationException {
        return (Pack<?>) Class.forName("wirelab.pack.Generated").getDeclaredConstructor().newInstance();
    }
}
