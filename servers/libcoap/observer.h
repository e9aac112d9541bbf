/* An observer of a topic: its queue of updates, and the one that it is fetching. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include <coap3/coap.h>
#include <stdbool.h>

/* One state of a topic, shared by its observers. */
struct update {
    int users;
    uint32_t sequence;
    coap_pdu_type_t type;
    size_t length;
    uint8_t body[];
};

struct queued_update {
    struct update *update;
    struct queued_update *next;
};

struct observer {
    coap_session_t *session;
    size_t token_length;
    uint8_t token[8];
    unsigned szx;
    struct queued_update *first, *last;
    int queue_length;
    /* The update whose blocks the observer fetches, its timeout, and the update of the last block
     * sent. */
    struct update *under_way, *served;
    coap_tick_t until;
    struct observer *next;
};

void *allocate(size_t size);
struct update *use(struct update *update);
void release(struct update *update);

/* Adds a block of an update to a response, or all of it if it fits. Returns whether more blocks
 * follow. */
bool fill(coap_pdu_t *pdu, const struct update *update, unsigned number, unsigned szx, bool notifies);

void notify(struct observer *observer, struct update *update);

/* The update that a request for a later block refers to; `again`: the request is a duplicate. NULL
 * if there is none. */
struct update *fetched(struct observer *observer, bool again);

/* A later block was sent. */
void block_sent(struct observer *observer, struct update *update, bool more);

/* Gives up a stalled fetch, and sends queued updates. Not called within libcoap's handlers, whose
 * answers go first. */
void resume(struct observer *observer, coap_tick_t now);

void forget_updates(struct observer *observer);

#endif
