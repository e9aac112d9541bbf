package wirelab.servers;

import java.util.List;
import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.coap.CoAP;
import org.eclipse.californium.core.server.resources.CoapExchange;

/** Answers requests on any path, each method by a handler of its own; the last segment is what is asked for. */
final class Answering extends CoapResource {
    private final Application application;

    Answering(Application application) {
        super("answering");
        this.application = application;
    }

    @Override
    public void handleGET(CoapExchange exchange) {
        answer(exchange, CoAP.ResponseCode.CONTENT);
    }

    @Override
    public void handlePUT(CoapExchange exchange) {
        answer(exchange, CoAP.ResponseCode.CHANGED);
    }

    @Override
    public void handlePOST(CoapExchange exchange) {
        answer(exchange, CoAP.ResponseCode.CHANGED);
    }

    @Override
    public void handleDELETE(CoapExchange exchange) {
        answer(exchange, CoAP.ResponseCode.DELETED);
    }

    private void answer(CoapExchange exchange, CoAP.ResponseCode done) {
        List<String> path = exchange.getRequestOptions().getUriPath();
        String target = path.isEmpty() ? "" : path.get(path.size() - 1);
        Application.Answer answer = application.answer(exchange.getRequestCode(), target, exchange.getRequestPayload());
        exchange.respond(answer.isDone() ? done : CoAP.ResponseCode.CONFLICT, answer.body());
    }
}
