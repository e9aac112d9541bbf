package wirelab.peers;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.eclipse.californium.core.coap.CoAP;
import org.eclipse.californium.core.coap.CoAP.ResponseCode;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.network.Exchange;
import org.eclipse.californium.core.server.MessageDeliverer;
import wirelab.servers.Answer;

/** The responder over CoAP: a CoAP server, because CoAP itself has requests and responses. */
final class CoapResponder {
    private CoapResponder() {}

    /** Listen at the setup's address and answer the requests for the topic. */
    static Protocol.Subscriber connect(Setup setup, Responder responder) throws Exception {
        CoapEndpoint endpoint = Coap.createEndpoint(setup, new InetSocketAddress(setup.address(), setup.port()));
        endpoint.setMessageDeliverer(new Deliverer(setup.topic(), responder));
        try {
            endpoint.start();
        } catch (IOException e) {
            throw Fault.fatal("listen on " + setup.server(), e);
        }
        return endpoint::destroy;
    }

    private record Deliverer(String topic, Responder responder) implements MessageDeliverer {
        @Override
        public void deliverRequest(Exchange exchange) {
            String path = exchange.getRequest().getOptions().getUriPathString();
            boolean isUnderTopic = path.equals(topic) || path.startsWith(topic + "/");
            exchange.sendResponse(isUnderTopic ? answer(exchange.getRequest(), path) : new Response(ResponseCode.NOT_FOUND));
        }

        private Response answer(Request request, String path) {
            byte[] body = request.getPayload();
            String target = path.substring(Math.min(path.length(), topic.length() + 1));
            boolean isPost = request.getCode() == CoAP.Code.POST;
            byte[] message = isPost ? body : new ResourceRequest(request.getCode().name(), target, body).encode();
            Answer answer = responder.answer(message, false);
            ResponseCode success = switch (request.getCode()) {
                case GET -> ResponseCode.CONTENT;
                case DELETE -> ResponseCode.DELETED;
                default -> ResponseCode.CHANGED;
            };
            Response response = new Response(answer.isSuccess() ? success : ResponseCode.CONFLICT);
            response.setPayload(answer.body());
            return response;
        }

        /** Does nothing: a server sends no requests. */
        @Override
        public void deliverResponse(Exchange exchange, Response response) {}
    }
}
