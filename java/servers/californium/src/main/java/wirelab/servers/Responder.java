package wirelab.servers;

import org.eclipse.californium.core.coap.CoAP;

/** Answers requests. Thread-safe. */
interface Responder {
    /** Sends the request's body back. */
    Responder ECHO = (method, target, body) -> new Answer(true, body);

    Answer answer(CoAP.Code method, String target, byte[] body);

    /**
     * The responder that `--application` names, null for none. Throws IllegalArgumentException for
     * an unknown name.
     */
    static Responder create(String application) {
        return switch (application) {
            case "" -> null;
            case "echo" -> ECHO;
            case "parking" -> {
                CarPark carPark = new CarPark();
                yield (method, car, body) -> carPark.answer(method.name(), car, body);
            }
            default -> throw new IllegalArgumentException("unknown application " + application + "; use echo or parking");
        };
    }
}
