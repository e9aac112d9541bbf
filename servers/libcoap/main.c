/* wirelab-server-libcoap: a relay or a responder on libcoap, over UDP or DTLS.
 *
 * Ends on SIGTERM, SIGINT or at the end of standard input (docs/contracts/peer.md, "Built-in
 * servers").
 */
#include "script.h"
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BAD_INPUT = 3, POLL_MS = 1000, MAX_DESCRIPTORS = 32, RECEIVE_BUFFER = 8 << 20 };

static const char usage[] = "usage: --listen 127.0.0.1:5683 [--script JSON] [--certificate FILE --key FILE]";

static volatile sig_atomic_t is_stopping;

struct arguments {
    char *listen;
    const char *script;
    const char *certificate;
    const char *key;
};

static void end(int sign)
{
    (void)sign;
    is_stopping = 1;
}

static int refuse(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return BAD_INPUT;
}

static bool read_arguments(int count, char **words, struct arguments *read)
{
    for (int i = 1; i < count; i += 2) {
        char *value = i + 1 < count ? words[i + 1] : NULL;
        if (value == NULL)
            return false;
        else if (strcmp(words[i], "--listen") == 0)
            read->listen = value;
        else if (strcmp(words[i], "--script") == 0)
            read->script = value;
        else if (strcmp(words[i], "--certificate") == 0)
            read->certificate = value;
        else if (strcmp(words[i], "--key") == 0)
            read->key = value;
        else
            return false;
    }
    return read->listen != NULL && (read->certificate == NULL) == (read->key == NULL);
}

/* Parses "10.77.0.2:5683". */
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

/* libcoap sets SO_REUSEADDR; only a socket without it detects a port in use. */
static bool can_bind(const coap_address_t *address)
{
    int probe = socket(AF_INET, SOCK_DGRAM, 0);
    bool is_free = probe >= 0 && bind(probe, &address->addr.sa, address->size) == 0;
    int error = errno;
    close(probe);
    errno = error;
    return is_free;
}

/* Client certificates are not required. */
static bool encrypt(coap_context_t *context, const struct arguments *given)
{
    coap_dtls_pki_t pki = {.version = COAP_DTLS_PKI_SETUP_VERSION, .pki_key = {.key_type = COAP_PKI_KEY_PEM}};
    pki.pki_key.key.pem.public_cert = given->certificate;
    pki.pki_key.key.pem.private_key = given->key;
    return access(given->certificate, R_OK) == 0 && access(given->key, R_OK) == 0 && coap_context_set_pki(context, &pki) != 0;
}

static void ready(const struct arguments *given)
{
    char relay[96];
    snprintf(relay, sizeof relay, "{\"max_message_bytes\":%d,\"queue_updates_per_observer\":%d}", MAX_BYTES, QUEUE);
    printf("{\"event\":\"ready\",\"name\":\"libcoap\",\"version\":\"%s\",\"listen\":\"%s\",\"limits\":%s}\n",
           LIBCOAP_PACKAGE_VERSION, given->listen, given->script == NULL ? relay : pool_sizes());
    fflush(stdout);
}

/* The default of 208 KiB overflows at a few hundred small datagrams; libcoap does not expose
 * the descriptor of its socket. */
static void enlarge_receive_buffer(void)
{
    for (int descriptor = 0; descriptor < MAX_DESCRIPTORS; descriptor++) {
        int type = 0, bytes = RECEIVE_BUFFER;
        socklen_t size = sizeof type;
        if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM &&
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
}

/* Polls libcoap's epoll descriptor together with standard input. */
static void serve(coap_context_t *context)
{
    struct pollfd watched[] = {{.fd = coap_context_get_coap_fd(context), .events = POLLIN},
                               {.fd = STDIN_FILENO, .events = POLLIN}};
    while (!is_stopping) {
        char ignored[256];
        if (poll(watched, 2, POLL_MS) < 0 && errno != EINTR)
            break;
        if (watched[1].revents != 0 && read(STDIN_FILENO, ignored, sizeof ignored) <= 0)
            break;
        coap_io_process(context, COAP_IO_NO_WAIT);
        run_relay();
    }
}

int main(int count, char **words)
{
    coap_address_t address;
    struct arguments given = {0};
    if (!read_arguments(count, words, &given) || !read_address(given.listen, &address))
        return refuse("wirelab-server-libcoap", usage);
    const char *why = given.script == NULL ? NULL : read_script(given.script);
    if (why != NULL)
        return refuse("--script", why);
    if (!can_bind(&address))
        return refuse(given.listen, strerror(errno));
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);

    coap_startup();
    coap_set_log_level(LOG_ERR);
    coap_context_t *context = coap_new_context(NULL);
    if (context != NULL && given.certificate != NULL && !encrypt(context, &given))
        return refuse(given.certificate, "invalid certificate or key");
    coap_proto_t protocol = given.certificate == NULL ? COAP_PROTO_UDP : COAP_PROTO_DTLS;
    coap_endpoint_t *endpoint = context == NULL ? NULL : coap_new_endpoint(context, &address, protocol);
    if (endpoint == NULL)
        return refuse(given.listen, strerror(errno));
    enlarge_receive_buffer();
    if (given.script == NULL)
        serve_relay(context);
    else
        serve_script(context);
    ready(&given);
    serve(context);
    end_relay();
    coap_free_context(context);
    coap_cleanup();
    return 0;
}
