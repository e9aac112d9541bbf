/* A relay: every path is an observable resource, every update a notification to each of its observers.
 *
 * libcoap's own observers are told the newest state alone. Here each update is sent to them as a response of its own, which libcoap queues
 * behind NSTART and sends again as it does any other. A notification has the type of its update.
 */
#define _GNU_SOURCE
#include "server.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Requests of one session that are remembered: libcoap hands one that comes again to its handler again. */
enum { REMEMBERED = 256, OBSERVE_MASK = 0xffffff };

struct observer {
    coap_session_t *session;
    size_t token_length;
    uint8_t token[8];
    struct observer *next;
};

struct topic {
    coap_string_t *path;
    uint32_t sequence;
    size_t length;
    uint8_t state[MOST_BYTES];
    struct observer *observers;
    struct topic *next;
};

struct memory {
    int next;
    coap_mid_t ids[REMEMBERED];
};

static struct topic *topics;

static void *made(size_t size)
{
    void *new = calloc(1, size);
    if (new == NULL)
        abort();
    return new;
}

static struct topic *topic_of(const coap_pdu_t *request)
{
    coap_string_t *path = coap_get_uri_path(request);
    struct topic *topic = topics;
    while (topic != NULL && !coap_string_equal(topic->path, path))
        topic = topic->next;
    if (topic != NULL) {
        coap_delete_string(path);
        return topic;
    }
    topic = made(sizeof *topic);
    topic->path = path;
    topic->next = topics;
    return topics = topic;
}

static bool is_of(const struct observer *observer, const coap_session_t *session, coap_bin_const_t token)
{
    return observer->session == session && observer->token_length == token.length &&
           memcmp(observer->token, token.s, token.length) == 0;
}

/* Forgets an observer of one token, or all of a session where `token` is NULL. */
static void forget(struct topic *topic, coap_session_t *session, const coap_bin_const_t *token)
{
    for (struct observer **link = &topic->observers; *link != NULL;) {
        struct observer *observer = *link;
        if (token == NULL ? observer->session == session : is_of(observer, session, *token)) {
            *link = observer->next;
            coap_session_release(observer->session);
            free(observer);
        } else {
            link = &observer->next;
        }
    }
}

static void remember(struct topic *topic, coap_session_t *session, coap_bin_const_t token)
{
    struct observer *observer = topic->observers;
    while (observer != NULL && !is_of(observer, session, token))
        observer = observer->next;
    if (observer != NULL || token.length > sizeof observer->token)
        return;
    observer = made(sizeof *observer);
    observer->session = coap_session_reference(session);
    observer->token_length = token.length;
    memcpy(observer->token, token.s, token.length);
    observer->next = topic->observers;
    topic->observers = observer;
}

static bool add_observe(coap_pdu_t *pdu, uint32_t sequence)
{
    uint8_t value[4];
    return coap_add_option(pdu, COAP_OPTION_OBSERVE, coap_encode_var_safe(value, sizeof value, sequence), value) != 0;
}

static void get(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request, const coap_string_t *query,
                coap_pdu_t *response)
{
    (void)resource, (void)query;
    struct topic *topic = topic_of(request);
    coap_opt_iterator_t iterator;
    coap_opt_t *observe = coap_check_option(request, COAP_OPTION_OBSERVE, &iterator);
    coap_bin_const_t token = coap_pdu_get_token(request);
    coap_pdu_set_code(response, COAP_RESPONSE_CODE_CONTENT);
    if (observe != NULL) {
        unsigned wanted = coap_decode_var_bytes(coap_opt_value(observe), coap_opt_length(observe));
        if (wanted == COAP_OBSERVE_ESTABLISH) {
            remember(topic, session, token);
            add_observe(response, topic->sequence);
        } else {
            forget(topic, session, &token);
        }
    }
    if (topic->length > 0)
        coap_add_data(response, topic->length, topic->state);
}

static bool comes_again(coap_session_t *session, coap_mid_t id)
{
    struct memory *memory = coap_session_get_app_data(session);
    if (memory == NULL) {
        memory = made(sizeof *memory);
        memset(memory->ids, 0xff, sizeof memory->ids);
        coap_session_set_app_data(session, memory);
    }
    for (int i = 0; i < REMEMBERED; i++)
        if (memory->ids[i] == id)
            return true;
    memory->ids[memory->next] = id;
    memory->next = (memory->next + 1) % REMEMBERED;
    return false;
}

static void notify(const struct topic *topic, const struct observer *observer, coap_pdu_type_t type)
{
    coap_pdu_t *pdu = coap_new_pdu(type, (coap_pdu_code_t)COAP_RESPONSE_CODE_CONTENT, observer->session);
    if (pdu == NULL)
        return;
    if (coap_add_token(pdu, observer->token_length, observer->token) && add_observe(pdu, topic->sequence) &&
        (topic->length == 0 || coap_add_data(pdu, topic->length, topic->state)))
        coap_send(observer->session, pdu);
    else
        coap_delete_pdu(pdu);
}

static void update(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request, const coap_string_t *query,
                   coap_pdu_t *response)
{
    (void)resource, (void)query;
    const uint8_t *body = NULL;
    size_t length = 0, offset = 0, total = 0;
    coap_get_data_large(request, &length, &body, &offset, &total);
    if (length > MOST_BYTES) {
        coap_pdu_set_code(response, COAP_RESPONSE_CODE_REQUEST_TOO_LARGE);
        return;
    }
    coap_pdu_set_code(response, COAP_RESPONSE_CODE_CHANGED);
    if (comes_again(session, coap_pdu_get_mid(request)))
        return;
    struct topic *topic = topic_of(request);
    topic->sequence = (topic->sequence + 1) & OBSERVE_MASK;
    topic->length = length;
    if (length > 0)
        memcpy(topic->state, body, length);
    for (const struct observer *observer = topic->observers; observer != NULL; observer = observer->next)
        notify(topic, observer, coap_pdu_get_type(request));
}

/* An observer that acknowledges nothing, or answers with a reset, is one no longer (RFC 7641, 3.6 and 4.5). */
static void on_nack(coap_session_t *session, const coap_pdu_t *sent, const coap_nack_reason_t reason, const coap_mid_t mid)
{
    (void)mid;
    coap_bin_const_t token = coap_pdu_get_token(sent);
    for (struct topic *topic = topics; topic != NULL && reason != COAP_NACK_ICMP_ISSUE; topic = topic->next)
        forget(topic, session, &token);
}

static int on_event(coap_session_t *session, const coap_event_t event)
{
    if (event == COAP_EVENT_DTLS_CLOSED || event == COAP_EVENT_DTLS_ERROR)
        for (struct topic *topic = topics; topic != NULL; topic = topic->next)
            forget(topic, session, NULL);
    if (event == COAP_EVENT_SERVER_SESSION_DEL)
        free(coap_session_get_app_data(session));
    return 0;
}

void serve_relay(coap_context_t *context)
{
    coap_context_set_block_mode(context, COAP_BLOCK_USE_LIBCOAP | COAP_BLOCK_SINGLE_BODY);
    coap_resource_t *anything = coap_resource_unknown_init(update);
    coap_register_request_handler(anything, COAP_REQUEST_POST, update);
    coap_register_request_handler(anything, COAP_REQUEST_GET, get);
    coap_add_resource(context, anything);
    coap_register_nack_handler(context, on_nack);
    coap_register_event_handler(context, on_event);
}
