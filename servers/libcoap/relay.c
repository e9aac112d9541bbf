/* A relay: every path is an observable resource, and each update is sent to its observers with the
 * update's type. */
#include "observer.h"
#include "server.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Number of requests remembered per session: libcoap passes duplicates to the handler. */
    REMEMBERED = 256,
    OBSERVE_MASK = 0xffffff,
    LARGEST_SZX = 6
};

struct topic {
    coap_string_t *path;
    struct update *state;
    struct observer *observers;
    struct topic *next;
};

struct memory {
    int next;
    coap_mid_t ids[REMEMBERED];
};

static struct topic *topics;

static struct update *new_update(uint32_t sequence, coap_pdu_type_t type, const uint8_t *body, size_t length)
{
    struct update *update = allocate(sizeof *update + length);
    *update = (struct update){.users = 1, .sequence = sequence & OBSERVE_MASK, .type = type, .length = length};
    if (length > 0)
        memcpy(update->body, body, length);
    return update;
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
    topic = allocate(sizeof *topic);
    *topic = (struct topic){path, new_update(0, COAP_MESSAGE_NON, NULL, 0), NULL, topics};
    return topics = topic;
}

static bool is_of(const struct observer *observer, const coap_session_t *session, coap_bin_const_t token)
{
    return observer->session == session && observer->token_length == token.length &&
           memcmp(observer->token, token.s, token.length) == 0;
}

/* Removes the observer with this token, or all of a session if `token` is NULL. */
static void forget(struct topic *topic, coap_session_t *session, const coap_bin_const_t *token)
{
    for (struct observer **link = &topic->observers; *link != NULL;) {
        struct observer *observer = *link;
        if (token == NULL ? observer->session == session : is_of(observer, session, *token)) {
            *link = observer->next;
            forget_updates(observer);
            coap_session_release(observer->session);
            free(observer);
        } else {
            link = &observer->next;
        }
    }
}

static void remember(struct topic *topic, coap_session_t *session, coap_bin_const_t token, unsigned szx)
{
    struct observer *observer = topic->observers;
    while (observer != NULL && !is_of(observer, session, token))
        observer = observer->next;
    if (observer != NULL || token.length > sizeof observer->token)
        return;
    observer = allocate(sizeof *observer);
    *observer = (struct observer){.session = coap_session_reference(session), .token_length = token.length, .szx = szx};
    memcpy(observer->token, token.s, token.length);
    observer->next = topic->observers;
    topic->observers = observer;
}

static bool comes_again(coap_session_t *session, coap_mid_t id)
{
    struct memory *memory = coap_session_get_app_data(session);
    if (memory == NULL) {
        memory = allocate(sizeof *memory);
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

/* A later block of a notification, otherwise of the current state. */
static void get_block(struct topic *topic, coap_session_t *session, const coap_pdu_t *request, coap_block_t asked,
                      coap_pdu_t *response)
{
    bool again = comes_again(session, coap_pdu_get_mid(request));
    struct observer *observer = topic->observers;
    struct update *update = NULL;
    for (; observer != NULL; observer = observer->next)
        if (observer->session == session && (update = fetched(observer, again)) != NULL)
            break;
    bool more = fill(response, update == NULL ? topic->state : update, asked.num, asked.szx, false);
    if (update != NULL)
        block_sent(observer, update, more);
}

static void get(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request, const coap_string_t *query,
                coap_pdu_t *response)
{
    (void)resource, (void)query;
    struct topic *topic = topic_of(request);
    coap_opt_iterator_t iterator;
    coap_opt_t *observe = coap_check_option(request, COAP_OPTION_OBSERVE, &iterator);
    coap_bin_const_t token = coap_pdu_get_token(request);
    coap_block_t asked;
    if (!coap_get_block(request, COAP_OPTION_BLOCK2, &asked))
        asked = (coap_block_t){.szx = LARGEST_SZX};
    coap_pdu_set_code(response, COAP_RESPONSE_CODE_CONTENT);
    if (asked.num > 0) {
        get_block(topic, session, request, asked, response);
        return;
    }
    bool registers =
        observe != NULL && coap_decode_var_bytes(coap_opt_value(observe), coap_opt_length(observe)) == COAP_OBSERVE_ESTABLISH;
    if (registers)
        remember(topic, session, token, asked.szx);
    else if (observe != NULL)
        forget(topic, session, &token);
    fill(response, topic->state, 0, asked.szx, registers);
}

static void update(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request, const coap_string_t *query,
                   coap_pdu_t *response)
{
    (void)resource, (void)query;
    const uint8_t *body = NULL;
    size_t length = 0, offset = 0, total = 0;
    coap_get_data_large(request, &length, &body, &offset, &total);
    if (length > MAX_BYTES) {
        coap_pdu_set_code(response, COAP_RESPONSE_CODE_REQUEST_TOO_LARGE);
        return;
    }
    coap_pdu_set_code(response, COAP_RESPONSE_CODE_CHANGED);
    if (comes_again(session, coap_pdu_get_mid(request)))
        return;
    struct topic *topic = topic_of(request);
    struct update *new = new_update(topic->state->sequence + 1, coap_pdu_get_type(request), body, length);
    release(topic->state);
    topic->state = new;
    for (struct observer *observer = topic->observers; observer != NULL; observer = observer->next)
        notify(observer, new);
}

/* An observer that does not acknowledge, or answers with a reset, is removed (RFC 7641, 3.6 and
 * 4.5). */
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

void end_relay(void)
{
    for (struct topic *topic = topics; topic != NULL; topic = topic->next)
        while (topic->observers != NULL)
            forget(topic, topic->observers->session, NULL);
}

void run_relay(void)
{
    coap_tick_t now;
    coap_ticks(&now);
    for (struct topic *topic = topics; topic != NULL; topic = topic->next)
        for (struct observer *observer = topic->observers; observer != NULL; observer = observer->next)
            resume(observer, now);
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
