package wirelab.servers;

/** A request that cannot be carried out; the message is the answer. */
final class Refusal extends Exception {
    Refusal(String message) {
        super(message, null, false, false);
    }
}
