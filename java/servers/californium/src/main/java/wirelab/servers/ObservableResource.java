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
 * A resource that notifies its observers of every update, with the update's message type. The
 * library alone delivers only the newest state: it replaces a notification that waits for an
 * acknowledgement (RFC 7641, 4.5.2). So this class queues notifications.
 */
final class ObservableResource extends CoapResource {
    static final int MAX_QUEUED = 100_000;
    /** The Observe option has 24 bits (RFC 7641, 2). */
    private static final int SEQUENCE_NUMBERS = 1 << 24;

    private final Map<ObserveRelation, NotificationQueue> queues = new ConcurrentHashMap<>();
    private final AtomicInteger number = new AtomicInteger();
    private volatile byte[] state = {};

    private record Update(byte[] body, CoAP.Type type, int number) {}

    ObservableResource() {
        super("observable");
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
        Update update = new Update(state, type, number.incrementAndGet() % SEQUENCE_NUMBERS);
        exchange.respond(CoAP.ResponseCode.CHANGED);
        queues.values().forEach(queue -> queue.add(update));
    }

    @Override
    public int getNotificationSequenceNumber() {
        return number.get() % SEQUENCE_NUMBERS;
    }

    @Override
    public void addObserveRelation(ObserveRelation relation) {
        super.addObserveRelation(relation);
        queues.put(relation, new NotificationQueue(relation));
    }

    @Override
    public void removeObserveRelation(ObserveRelation relation) {
        super.removeObserveRelation(relation);
        queues.remove(relation);
    }

    /**
     * Notifications queued for one observer. Only one CON notification is in flight at a time, and
     * nothing overtakes it.
     */
    private static final class NotificationQueue {
        private final ObserveRelation relation;
        private final Queue<Update> waiting = new ArrayDeque<>();
        private boolean isInFlight;

        private NotificationQueue(ObserveRelation relation) {
            this.relation = relation;
        }

        private synchronized void add(Update update) {
            if (waiting.size() == MAX_QUEUED) {
                System.err.println("update dropped: " + MAX_QUEUED + " notifications are queued for an observer");
                return;
            }
            waiting.add(update);
            sendNext();
        }

        private synchronized void handleAcknowledgement() {
            isInFlight = false;
            sendNext();
        }

        private void sendNext() {
            while (!isInFlight && !waiting.isEmpty()) {
                Update update = waiting.remove();
                Response notification = new Response(CoAP.ResponseCode.CONTENT);
                notification.setPayload(update.body());
                notification.setType(update.type());
                notification.getOptions().setObserve(update.number());
                if (update.type() == CoAP.Type.CON) {
                    isInFlight = true;
                    notification.addMessageObserver(new AcknowledgementObserver());
                }
                relation.getExchange().sendResponse(notification);
            }
        }

        /**
         * The library ends the relation of a notification that is never acknowledged (RFC 7641,
         * 4.5).
         */
        private final class AcknowledgementObserver extends MessageObserverAdapter {
            @Override
            public void onAcknowledgement() {
                handleAcknowledgement();
            }
        }
    }
}
