/* The car park of docs/contracts/peer.md ("Requests and answers").
 *
 * GET /.../CAR reserves the lowest free spot, PUT /.../CAR with a spot occupies it, DELETE /.../CAR frees it.
 */
#include "server.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CARS = 1 << 20, NOWHERE = -1 };

static bool is_taken[SPOTS];
static signed char spot_of[CARS];

/* The number at the end of a request's path; -1 if there is none in range. */
static long car_of(const coap_pdu_t *request)
{
    coap_string_t *path = coap_get_uri_path(request);
    long car = -1;
    if (path != NULL) {
        char text[256];
        size_t length = path->length < sizeof text ? path->length : 0;
        memcpy(text, path->s, length);
        text[length] = '\0';
        char *slash = strrchr(text, '/');
        char *end = NULL;
        const char *digits = slash == NULL ? text : slash + 1;
        car = strtol(digits, &end, 10);
        if (end == digits || *end != '\0' || car < 0 || car >= CARS)
            car = -1;
        coap_delete_string(path);
    }
    return car;
}

static long body_of(const coap_pdu_t *request)
{
    const uint8_t *data = NULL;
    size_t length = 0;
    char text[16];
    if (!coap_get_data(request, &length, &data) || length == 0 || length >= sizeof text)
        return -1;
    memcpy(text, data, length);
    text[length] = '\0';
    char *end = NULL;
    long spot = strtol(text, &end, 10);
    return *end == '\0' && spot >= 0 && spot < SPOTS ? spot : -1;
}

static void answer(coap_pdu_t *response, coap_pdu_code_t done, long spot, const char *why)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%ld", spot);
    coap_pdu_set_code(response, spot >= 0 ? done : COAP_RESPONSE_CODE_CONFLICT);
    if (spot >= 0)
        coap_add_data(response, (size_t)length, (const uint8_t *)text);
    else
        coap_add_data(response, strlen(why), (const uint8_t *)why);
}

static void get(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                const coap_string_t *query, coap_pdu_t *response)
{
    (void)resource, (void)session, (void)query;
    long car = car_of(request), spot = car < 0 ? NOWHERE : spot_of[car];
    for (int lowest = 0; car >= 0 && spot == NOWHERE && lowest < SPOTS; lowest++) {
        if (!is_taken[lowest]) {
            spot = lowest;
            is_taken[lowest] = true;
            spot_of[car] = (signed char)lowest;
        }
    }
    answer(response, COAP_RESPONSE_CODE_CONTENT, spot, "full");
}

static void put(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                const coap_string_t *query, coap_pdu_t *response)
{
    (void)resource, (void)session, (void)query;
    long car = car_of(request), spot = body_of(request);
    if (car >= 0 && spot >= 0 && spot_of[car] != spot) {
        if (is_taken[spot]) {
            spot = NOWHERE;
        } else {
            is_taken[spot] = true;
            spot_of[car] = (signed char)spot;
        }
    }
    answer(response, COAP_RESPONSE_CODE_CHANGED, car < 0 ? NOWHERE : spot, "taken");
}

static void delete(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                   const coap_string_t *query, coap_pdu_t *response)
{
    (void)resource, (void)session, (void)query;
    long car = car_of(request), spot = car < 0 ? NOWHERE : spot_of[car];
    if (spot != NOWHERE) {
        is_taken[spot] = false;
        spot_of[car] = NOWHERE;
    }
    answer(response, COAP_RESPONSE_CODE_DELETED, spot, "not here");
}

void serve_parking(coap_context_t *context)
{
    memset(spot_of, NOWHERE, sizeof spot_of);
    coap_resource_t *anything = coap_resource_unknown_init(put);
    coap_register_request_handler(anything, COAP_REQUEST_GET, get);
    coap_register_request_handler(anything, COAP_REQUEST_DELETE, delete);
    coap_add_resource(context, anything);
}
