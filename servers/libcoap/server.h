/* What stands behind libcoap's server: one of these. */
#ifndef SERVER_H
#define SERVER_H

#include <coap3/coap.h>

enum {
    /* Spots of the car park. */
    SPOTS = 100,
    /* The largest body that is relayed: with its options and DTLS's record it still fits what libcoap takes from a socket at once (1,472 B). */
    MOST_BYTES = 1300,
    /* The largest message that libcoap makes. */
    MTU = 1420
};

void serve_parking(coap_context_t *context);

/* Every path is an observable resource, every update a notification to each of its observers. */
void serve_relay(coap_context_t *context);

#endif
