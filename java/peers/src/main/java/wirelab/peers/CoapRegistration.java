package wirelab.peers;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.eclipse.californium.core.coap.MessageObserverAdapter;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.coap.Token;
import org.eclipse.californium.core.network.CoapEndpoint;

/**
 * A registration with a resource that is asked for until the server answers. The library repeats a CON request some times and a NON one
 * never; what is then sent anew has the same token, so that the server keeps one entry (RFC 7641, section 4.1).
 */
final class CoapRegistration {
    private final Setup setup;
    private final CoapEndpoint endpoint;
    private final Token token;
    private final Set<Response> states = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    CoapRegistration(Setup setup, CoapEndpoint endpoint) {
        this.setup = setup;
        this.endpoint = endpoint;
        byte[] drawn = new byte[4];
        ThreadLocalRandom.current().nextBytes(drawn);
        token = new Token(drawn);
    }

    /** Whether this answered a registration: the state as it was, no update. */
    boolean isState(Response response) {
        return states.contains(response);
    }

    /** The server's answer. Throws the fault to tell where none came until `deadline` (System.nanoTime). */
    Response answer(long deadline) throws Fault, InterruptedException {
        boolean isConfirmable = setup.qos().equals("con");
        for (long waitMs = setup.number("ack_timeout_ms", 1); ; waitMs *= 2) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (leftMs <= 0) {
                throw setup.timedOut();
            }
            Request request = request(isConfirmable);
            endpoint.sendRequest(request);
            // A CON request ends this wait when the library gives it up.
            Response answer = request.waitForResponse(isConfirmable ? leftMs : Math.min(waitMs, leftMs));
            if (answer != null) {
                return answer;
            }
            if (request.isRejected()) {
                throw Fault.fatal("observe " + setup.topic() + " at " + setup.server(), "reset by the server");
            }
        }
    }

    /** Tell the server that nobody listens any more. */
    void leave() throws InterruptedException {
        Request request = Request.newGet();
        request.setConfirmable(false);
        request.setURI(Coap.uri(setup));
        request.setToken(token);
        request.setObserveCancel();
        endpoint.sendRequest(request);
        request.waitForResponse(200);
    }

    private Request request(boolean isConfirmable) {
        Request request = Request.newGet();
        request.setConfirmable(isConfirmable);
        request.setURI(Coap.uri(setup));
        request.setToken(token);
        request.setObserve();
        request.setMaxResourceBodySize(Coap.MAX_MESSAGE);
        request.addMessageObserver(new MessageObserverAdapter() {
            private boolean isAnswered;

            @Override
            public void onResponse(Response response) {
                if (!isAnswered) {
                    isAnswered = true;
                    states.add(response);
                }
            }
        });
        return request;
    }
}
