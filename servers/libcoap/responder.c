/* A responder: answers requests on any path as its script says. The last segment is the target. */
#include "script.h"
#include "server.h"

#include <string.h>

enum { LONGEST_PATH = 255 };

static void respond(enum method method, coap_pdu_code_t done, const coap_pdu_t *request, coap_pdu_t *response)
{
    coap_string_t *path = coap_get_uri_path(request);
    char text[LONGEST_PATH + 1] = {0};
    if (path != NULL && path->length <= LONGEST_PATH)
        memcpy(text, path->s, path->length);
    coap_delete_string(path);
    const char *slash = strrchr(text, '/');
    const uint8_t *body = NULL;
    size_t length = 0;
    coap_get_data(request, &length, &body);
    struct answer answer = answer_request(method, slash == NULL ? text : slash + 1, (const char *)body, length);
    coap_pdu_set_code(response, answer.is_done ? done : COAP_RESPONSE_CODE_CONFLICT);
    if (answer.length > 0 && !coap_add_data(response, answer.length, (const uint8_t *)answer.text))
        coap_pdu_set_code(response, COAP_RESPONSE_CODE_INTERNAL_ERROR);
}

static void get(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                const coap_string_t *query, coap_pdu_t *response)
{
    (void)resource, (void)session, (void)query;
    respond(GET, COAP_RESPONSE_CODE_CONTENT, request, response);
}

static void put(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                const coap_string_t *query, coap_pdu_t *response)
{
    (void)resource, (void)session, (void)query;
    respond(PUT, COAP_RESPONSE_CODE_CHANGED, request, response);
}

static void post(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                 const coap_string_t *query, coap_pdu_t *response)
{
    (void)resource, (void)session, (void)query;
    respond(METHODS, COAP_RESPONSE_CODE_CHANGED, request, response);
}

static void delete(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                   const coap_string_t *query, coap_pdu_t *response)
{
    (void)resource, (void)session, (void)query;
    respond(DELETE, COAP_RESPONSE_CODE_DELETED, request, response);
}

void serve_script(coap_context_t *context)
{
    coap_resource_t *anything = coap_resource_unknown_init(put);
    coap_register_request_handler(anything, COAP_REQUEST_GET, get);
    coap_register_request_handler(anything, COAP_REQUEST_POST, post);
    coap_register_request_handler(anything, COAP_REQUEST_DELETE, delete);
    coap_add_resource(context, anything);
}
