/* The services of the server; one of them is used. */
#ifndef SERVER_H
#define SERVER_H

#include <coap3/coap.h>

enum {
    /* Maximum size of a body, and of an observer's queue. */
    MAX_BYTES = 1 << 20,
    QUEUE = 100000
};

/* Answers requests as the script that was read says. */
void serve_script(coap_context_t *context);

/* Every path is an observable resource; each update is sent to its observers. */
void serve_relay(coap_context_t *context);

/* Sends queued updates; called after libcoap has processed. */
void run_relay(void);

/* Releases the observers' sessions; libcoap needs that to shut down. */
void end_relay(void);

#endif
