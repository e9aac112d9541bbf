/* Sends each update to an observer as a separate response: libcoap's own observers get only the
 * newest state.
 *
 * libcoap limits them by NSTART and retransmits confirmable ones. A body of several blocks (RFC
 * 7959) blocks later updates until its last block has been fetched, because a plain GET cannot
 * specify which body it means.
 */
#include "observer.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NON_RECEIVE_TIMEOUT (RFC 9177) and MAX_TRANSMIT_WAIT (RFC 7252), in seconds. */
enum { NON_TIMEOUT = 4, CON_TIMEOUT = 93 };

void *allocate(size_t size)
{
    void *new = calloc(1, size);
    if (new == NULL)
        abort();
    return new;
}

struct update *use(struct update *update)
{
    update->users++;
    return update;
}

void release(struct update *update)
{
    if (update != NULL && --update->users == 0)
        free(update);
}

static bool add_number(coap_pdu_t *pdu, coap_option_num_t option, uint32_t number)
{
    uint8_t value[4];
    return coap_add_option(pdu, option, coap_encode_var_safe(value, sizeof value, number), value) != 0;
}

bool fill(coap_pdu_t *pdu, const struct update *update, unsigned number, unsigned szx, bool notifies)
{
    size_t size = (size_t)16 << szx, offset = (size_t)number * size;
    size_t rest = offset < update->length ? update->length - offset : 0, length = rest < size ? rest : size;
    bool more = rest > size, in_blocks = more || number > 0;
    /* In the order of option numbers. The sequence distinguishes bodies. */
    if (in_blocks)
        add_number(pdu, COAP_OPTION_ETAG, update->sequence | 1U << 24);
    if (notifies)
        add_number(pdu, COAP_OPTION_OBSERVE, update->sequence);
    if (in_blocks)
        add_number(pdu, COAP_OPTION_BLOCK2, number << 4 | (more ? 8U : 0U) | szx);
    if (in_blocks && number == 0)
        add_number(pdu, COAP_OPTION_SIZE2, (uint32_t)update->length);
    if (length > 0)
        coap_add_data(pdu, length, update->body + offset);
    return more;
}

static void wait_for(struct observer *observer)
{
    unsigned seconds = observer->under_way->type == COAP_MESSAGE_CON ? CON_TIMEOUT : NON_TIMEOUT;
    coap_ticks(&observer->until);
    observer->until += (coap_tick_t)seconds * COAP_TICKS_PER_SECOND;
}

static void send_update(struct observer *observer, struct update *update)
{
    coap_pdu_t *pdu = coap_new_pdu(update->type, (coap_pdu_code_t)COAP_RESPONSE_CODE_CONTENT, observer->session);
    if (pdu == NULL)
        return;
    coap_add_token(pdu, observer->token_length, observer->token);
    if (fill(pdu, update, 0, observer->szx, true)) {
        observer->under_way = use(update);
        wait_for(observer);
    }
    coap_send(observer->session, pdu);
}

static void send_next(struct observer *observer)
{
    while (observer->under_way == NULL && observer->first != NULL) {
        struct queued_update *first = observer->first;
        observer->first = first->next;
        observer->queue_length--;
        send_update(observer, first->update);
        release(first->update);
        free(first);
    }
}

void notify(struct observer *observer, struct update *update)
{
    if (observer->queue_length == QUEUE) {
        fprintf(stderr, "an observer's queue is full: an update is dropped\n");
        return;
    }
    struct queued_update *new = allocate(sizeof *new);
    new->update = use(update);
    if (observer->first == NULL)
        observer->first = new;
    else
        observer->last->next = new;
    observer->last = new;
    observer->queue_length++;
}

struct update *fetched(struct observer *observer, bool again)
{
    return again && observer->served != NULL ? observer->served : observer->under_way;
}

void block_sent(struct observer *observer, struct update *update, bool more)
{
    use(update);
    release(observer->served);
    observer->served = update;
    if (update != observer->under_way)
        return;
    if (more) {
        wait_for(observer);
    } else {
        release(observer->under_way);
        observer->under_way = NULL;
    }
}

void resume(struct observer *observer, coap_tick_t now)
{
    if (observer->under_way != NULL && observer->until <= now) {
        release(observer->under_way);
        observer->under_way = NULL;
    }
    send_next(observer);
}

void forget_updates(struct observer *observer)
{
    while (observer->first != NULL) {
        struct queued_update *first = observer->first;
        observer->first = first->next;
        release(first->update);
        free(first);
    }
    release(observer->under_way);
    release(observer->served);
}
