package wirelab.codecs;

/** A value of one of several types, implemented by the records of a generated sealed interface. */
public interface Union {
    /** The alternative's number, from 0. */
    int alternative();

    /** The alternative's name, for formats that write it (XML). */
    String name();

    /** The value itself. */
    Object content();
}
