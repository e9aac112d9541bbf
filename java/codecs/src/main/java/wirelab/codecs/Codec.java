package wirelab.codecs;

/**
 * One library's implementation of a format for messages of type M: the phases of docs/contracts/pack.md. Which of them a
 * codec has is said by the pack's description; the others are never called.
 *
 * @param <M> the message as the application holds it
 * @param <O> the library's own object, where it has one
 */
public abstract class Codec<M, O> {
    /** Write the native object: populate and encode in one go. */
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
