/* An observer of a topic: what it still is to be told, and what of that it is fetching. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include <coap3/coap.h>
#include <stdbool.h>

/* One state of a topic, which its observers share. */
struct update {
    int users;
    uint32_t sequence;
    coap_pdu_type_t type;
    size_t length;
    uint8_t body[];
};

struct waiting {
    struct update *update;
    struct waiting *next;
};

struct observer {
    coap_session_t *session;
    size_t token_length;
    uint8_t token[8];
    unsigned szx;
    struct waiting *first, *last;
    int waits;
    /* The update of which the observer fetches blocks, until when it may stand still, and the one of which it was sent a block last. */
    struct update *under_way, *served;
    coap_tick_t until;
    struct observer *next;
};

void *made(size_t size);
struct update *use(struct update *update);
void release(struct update *update);

/* Adds one block of an update to a response, whole where it takes no more. Whether more are to come. */
bool fill(coap_pdu_t *pdu, const struct update *update, unsigned number, unsigned szx, bool notifies);

void notify(struct observer *observer, struct update *update);

/* The update that a request for a later block means; `again`: the request has come before. NULL where the observer fetches none. */
struct update *fetched(struct observer *observer, bool again);

/* A later block has been sent. */
void has_sent(struct observer *observer, struct update *update, bool more);

/* Gives up what the observer has stopped fetching, and sends what waits: outside of libcoap's handlers, whose own answers go first. */
void go_on(struct observer *observer, coap_tick_t now);

void forget_updates(struct observer *observer);

#endif
