package wirelab.codecs;

/** A codec whose library has its own message objects. */
public abstract class ObjectCodec<M, O> extends Codec<M, O> {
    /** Parse one whole message. */
    public abstract O parse(byte[] bytes) throws Exception;

    public abstract void fold(O object, Checksum sum);

    public abstract M toNative(O object);

    @Override
    public abstract O populate(M message);

    @Override
    public abstract void encode(O object, Output out) throws Exception;

    @Override
    public final void serialize(M message, Output out) throws Exception {
        encode(populate(message), out);
    }

    @Override
    public final void decode(byte[] bytes, Checksum sum) throws Exception {
        fold(parse(bytes), sum);
    }

    @Override
    public final M convert(byte[] bytes) throws Exception {
        return toNative(parse(bytes));
    }
}
