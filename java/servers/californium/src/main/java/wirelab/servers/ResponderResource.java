package wirelab.servers;

import java.util.List;
import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.coap.CoAP;
import org.eclipse.californium.core.server.resources.CoapExchange;

/** Answers requests on any path as a script says. The last path segment is the target. */
final class ResponderResource extends CoapResource {
    private final Script script;

    ResponderResource(Script script) {
        super("responder");
        this.script = script;
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

    private void answer(CoapExchange exchange, CoAP.ResponseCode success) {
        List<String> path = exchange.getRequestOptions().getUriPath();
        String target = path.isEmpty() ? "" : path.get(path.size() - 1);
        byte[] body = exchange.getRequestPayload();
        Answer answer = script.answer(exchange.getRequestCode().name(), target, body, body);
        exchange.respond(answer.isSuccess() ? success : CoAP.ResponseCode.CONFLICT, answer.body());
    }
}
