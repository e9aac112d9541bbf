package wirelab.codecs;

/**
 * One library's implementation of a format for messages of type M: the phases of
 * docs/contracts/pack.md. The pack's description lists the phases of each codec; others are never
 * called.
 *
 * @param <M> the application's message type
 * @param <O> the library's object type, or Void
 */
public abstract class Codec<M, O> {
    /** Populate and encode in one call. */
    public abstract void serialize(M message, Output out) throws Exception;

    /** Read every field of one whole message. */
    public abstract void decode(byte[] bytes, Checksum sum) throws Exception;

    /** Build the native object from one whole message. */
    public abstract M convert(byte[] bytes) throws Exception;

    /** Build the library's object from the native one. */
    public O populate(M message) throws Exception {
        throw new UnsupportedOperationException("this codec has no populate phase");
    }

    /** Write the library's object. */
    public void encode(O object, Output out) throws Exception {
        throw new UnsupportedOperationException("this codec encodes native objects");
    }

    /** Make bytes readable without checking or reading them. */
    public Object access(byte[] bytes) throws Exception {
        throw new UnsupportedOperationException("this codec has no access phase");
    }
}
