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
 * An observe registration, repeated until the server answers. The library retransmits a CON request
 * a limited number of times and a NON request never. A repeated request has the same token, so that
 * the server keeps one entry (RFC 7641, section 4.1).
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

    /**
     * Whether this response answered a registration, and so holds the current state, not an update.
     */
    boolean isInitialState(Response response) {
        return states.contains(response);
    }

    /**
     * Register, and return the server's answer. Throws a fatal fault if there is none by `deadline`
     * (System.nanoTime).
     */
    Response register(long deadline) throws Fault, InterruptedException {
        boolean isConfirmable = setup.qos().equals("con");
        for (long waitMs = setup.getInt("ack_timeout_ms", 1); ; waitMs *= 2) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (leftMs <= 0) {
                throw setup.timeoutFault();
            }
            Request request = createRequest(isConfirmable);
            endpoint.sendRequest(request);
            // For a CON request the wait also ends when the library stops retransmitting.
            Response answer = request.waitForResponse(isConfirmable ? leftMs : Math.min(waitMs, leftMs));
            if (answer != null) {
                return answer;
            }
            if (request.isRejected()) {
                throw Fault.fatal("observe " + setup.topic() + " at " + setup.server(), "reset by the server");
            }
        }
    }

    /** Cancel the registration at the server. */
    void cancel() throws InterruptedException {
        Request request = Request.newGet();
        request.setConfirmable(false);
        request.setURI(Coap.buildUri(setup));
        request.setToken(token);
        request.setObserveCancel();
        endpoint.sendRequest(request);
        request.waitForResponse(200);
    }

    private Request createRequest(boolean isConfirmable) {
        Request request = Request.newGet();
        request.setConfirmable(isConfirmable);
        request.setURI(Coap.buildUri(setup));
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
