/* What stands behind libcoap's server: one of these. */
#ifndef SERVER_H
#define SERVER_H

#include <coap3/coap.h>

enum {
    /* Spots of the car park. */
    SPOTS = 100,
    /* The largest body that is relayed, and how many wait for one observer at most. */
    MOST_BYTES = 1 << 20,
    QUEUE = 100000
};

void serve_parking(coap_context_t *context);

/* Every path is an observable resource, every update a notification to each of its observers. */
void serve_relay(coap_context_t *context);

/* Sends observers what waits for them; called after whatever libcoap has processed. */
void run_relay(void);

/* Lets go of the observers' sessions, without which libcoap does not end. */
void end_relay(void);

#endif
