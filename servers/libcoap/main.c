/* wirelab-server-libcoap: the car park of docs/contracts/peer.md ("Requests and answers"), served by libcoap.
 *
 * GET /.../CAR reserves the lowest free spot, PUT /.../CAR with a spot occupies it, DELETE /.../CAR frees it. Each method has a handler of
 * its own, as libcoap has it. Ends on SIGTERM, SIGINT or at the end of standard input (docs/contracts/peer.md, "Built-in servers").
 */
#include <coap3/coap.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPOTS = 100, CARS = 1 << 20, BAD_INPUT = 3, NOWHERE = -1, POLL_MS = 1000 };

static bool is_taken[SPOTS];
static signed char spot_of[CARS];
static volatile sig_atomic_t is_over;

/* The number at the end of a request's path; -1 where there is none that fits. */
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

static void end(int sign)
{
    (void)sign;
    is_over = 1;
}

static int refuse(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return BAD_INPUT;
}

/* "10.77.0.2:5683" as an address of libcoap's. */
static bool read_address(char *text, coap_address_t *address)
{
    char *colon = strrchr(text, ':');
    if (colon == NULL)
        return false;
    *colon = '\0';
    coap_address_init(address);
    address->size = sizeof address->addr.sin;
    address->addr.sin.sin_family = AF_INET;
    address->addr.sin.sin_port = htons((uint16_t)atoi(colon + 1));
    bool is_read = inet_pton(AF_INET, text, &address->addr.sin.sin_addr) == 1;
    *colon = ':';
    return is_read;
}

int main(int count, char **words)
{
    coap_address_t address;
    if (count != 3 || strcmp(words[1], "--listen") != 0 || !read_address(words[2], &address))
        return refuse("wirelab-server-libcoap", "write it like --listen 127.0.0.1:5683");
    memset(spot_of, NOWHERE, sizeof spot_of);
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);

    coap_startup();
    coap_set_log_level(LOG_ERR);
    coap_context_t *context = coap_new_context(NULL);
    if (context == NULL || coap_new_endpoint(context, &address, COAP_PROTO_UDP) == NULL)
        return refuse(words[2], strerror(errno));
    coap_resource_t *anything = coap_resource_unknown_init(put);
    coap_register_request_handler(anything, COAP_REQUEST_GET, get);
    coap_register_request_handler(anything, COAP_REQUEST_DELETE, delete);
    coap_add_resource(context, anything);
    printf("{\"event\":\"ready\",\"name\":\"libcoap\",\"version\":\"%s\",\"listen\":\"%s\",\"limits\":{\"spots\":%d}}\n",
           coap_package_version(), words[2], SPOTS);
    fflush(stdout);

    /* libcoap's own loop sleeps in epoll; its descriptor is watched beside standard input. */
    struct pollfd watched[] = {{.fd = coap_context_get_coap_fd(context), .events = POLLIN},
                               {.fd = STDIN_FILENO, .events = POLLIN}};
    while (!is_over) {
        char ignored[256];
        if (poll(watched, 2, POLL_MS) < 0 && errno != EINTR)
            break;
        if (watched[1].revents != 0 && read(STDIN_FILENO, ignored, sizeof ignored) <= 0)
            break;
        coap_io_process(context, COAP_IO_NO_WAIT);
    }
    coap_free_context(context);
    coap_cleanup();
    return 0;
}
