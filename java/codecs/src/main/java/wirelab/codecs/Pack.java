package wirelab.codecs;

import com.fasterxml.jackson.core.type.TypeReference;

/**
 * The native type and codecs of one payload, implemented by the generated class
 * `wirelab.pack.Generated`.
 */
public interface Pack<M> {
    TypeReference<M> type();

    /** The message's name, for formats that write it (XML). */
    String rootName();

    /** Whether messages have decimals, whose digits are kept. */
    default boolean hasDecimals() {
        return false;
    }

    /** Add every field of a native message to a checksum. */
    void fold(M message, Checksum sum);

    /**
     * The codec named `format/library`, if it needs generated code. Throws IllegalArgumentException
     * for another name.
     */
    Codec<M, ?> open(String name) throws Exception;

    /** The pack on the class path. */
    static Pack<?> load() throws ReflectiveOperationException {
        return load(Pack.class.getClassLoader());
    }

    /** The pack whose classes a loader finds. */
    static Pack<?> load(ClassLoader loader) throws ReflectiveOperationException {
        return (Pack<?>) loader.loadClass("wirelab.pack.Generated").getDeclaredConstructor().newInstance();
    }
}
