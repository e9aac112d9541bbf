package wirelab.servers;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.coap.CoAP;
import org.eclipse.californium.core.coap.MessageObserverAdapter;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.observe.ObserveRelation;
import org.eclipse.californium.core.server.resources.CoapExchange;

/**
 * A resource whose observers are told of every update, with a notification of the update's type. By itself the library owes an observer
 * the newest state only, and replaces what waits for an acknowledgement (RFC 7641, 4.5.2); so what waits is kept here.
 */
final class Updated extends CoapResource {
    static final int MOST_WAITING = 100_000;
    /** Observe has 24 bits (RFC 7641, 2). */
    private static final int NUMBERS = 1 << 24;

    private final Map<ObserveRelation, Line> lines = new ConcurrentHashMap<>();
    private final AtomicInteger number = new AtomicInteger();
    private volatile byte[] state = {};

    private record Update(byte[] body, CoAP.Type type, int number) {}

    Updated() {
        super("updated");
        setObservable(true);
    }

    @Override
    public void handleGET(CoapExchange exchange) {
        Response response = new Response(CoAP.ResponseCode.CONTENT);
        response.setPayload(state);
        exchange.respond(response);
    }

    @Override
    public void handlePUT(CoapExchange exchange) {
        handlePOST(exchange);
    }

    @Override
    public void handlePOST(CoapExchange exchange) {
        state = exchange.getRequestPayload();
        CoAP.Type type = exchange.advanced().getRequest().isConfirmable() ? CoAP.Type.CON : CoAP.Type.NON;
        Update update = new Update(state, type, number.incrementAndGet() % NUMBERS);
        exchange.respond(CoAP.ResponseCode.CHANGED);
        lines.values().forEach(line -> line.add(update));
    }

    @Override
    public int getNotificationSequenceNumber() {
        return number.get() % NUMBERS;
    }

    @Override
    public void addObserveRelation(ObserveRelation relation) {
        super.addObserveRelation(relation);
        lines.put(relation, new Line(relation));
    }

    @Override
    public void removeObserveRelation(ObserveRelation relation) {
        super.removeObserveRelation(relation);
        lines.remove(relation);
    }

    /** What waits for one observer: one CON notification is under way at a time, and nothing overtakes it. */
    private static final class Line {
        private final ObserveRelation relation;
        private final Queue<Update> waiting = new ArrayDeque<>();
        private boolean isUnderWay;

        private Line(ObserveRelation relation) {
            this.relation = relation;
        }

        private synchronized void add(Update update) {
            if (waiting.size() == MOST_WAITING) {
                System.err.println("an update is dropped: " + MOST_WAITING + " wait for an observer");
                return;
            }
            waiting.add(update);
            next();
        }

        private synchronized void acknowledged() {
            isUnderWay = false;
            next();
        }

        private void next() {
            while (!isUnderWay && !waiting.isEmpty()) {
                Update update = waiting.remove();
                Response notification = new Response(CoAP.ResponseCode.CONTENT);
                notification.setPayload(update.body());
                notification.setType(update.type());
                notification.getOptions().setObserve(update.number());
                if (update.type() == CoAP.Type.CON) {
                    isUnderWay = true;
                    notification.addMessageObserver(new Acknowledged());
                }
                relation.getExchange().sendResponse(notification);
            }
        }

        /** One that is never acknowledged ends the relation, as section 4.5 asks for. */
        private final class Acknowledged extends MessageObserverAdapter {
            @Override
            public void onAcknowledgement() {
                acknowledged();
            }
        }
    }
}
