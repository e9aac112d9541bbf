// A server whose caller provides the answers.

#include "shim.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 1024 };

struct wl_received_request {
  uint8_t method;
  const uint8_t *path; // segments separated by /
  size_t path_length;
  const uint8_t *body;
  size_t length;
};

struct wl_request_handler {
  void (*asked)(void *context, const struct wl_received_request *asked, coap_pdu_t *response);
  void *context;
};

// The path of a request; empty if it is too long.
static size_t read_path(const coap_pdu_t *request, uint8_t path[MAX_PATH]) {
  coap_opt_filter_t segments;
  coap_opt_iterator_t iterator;
  coap_option_filter_clear(&segments);
  coap_option_filter_set(&segments, COAP_OPTION_URI_PATH);
  coap_option_iterator_init(request, &iterator, &segments);
  size_t length = 0;
  for (const coap_opt_t *segment; (segment = coap_option_next(&iterator)) != NULL;) {
    size_t added = coap_opt_length(segment);
    if (length + added + 1 > MAX_PATH)
      return 0;
    if (length > 0)
      path[length++] = '/';
    memcpy(path + length, coap_opt_value(segment), added);
    length += added;
  }
  return length;
}

static void on_request(coap_resource_t *resource, coap_session_t *session, const coap_pdu_t *request,
                       const coap_string_t *query, coap_pdu_t *response) {
  (void)session, (void)query;
  const struct wl_request_handler *handler = coap_resource_get_userdata(resource);
  uint8_t path[MAX_PATH];
  struct wl_received_request asked = {.method = (uint8_t)coap_pdu_get_code(request), .path = path, .path_length = read_path(request, path)};
  coap_get_data(request, &asked.length, &asked.body);
  handler->asked(handler->context, &asked, response);
}

// Sets the response to a request; only during `asked`.
void wl_answer(coap_pdu_t *response, uint8_t code, const uint8_t *body, size_t length) {
  coap_pdu_set_code(response, (coap_pdu_code_t)code);
  if (length > 0)
    coap_add_data(response, length, body);
}

// Client certificates are not required.
static bool encrypt(coap_context_t *context, const char *certificate, const char *key) {
  coap_dtls_pki_t pki = {.version = COAP_DTLS_PKI_SETUP_VERSION, .pki_key = {.key_type = COAP_PKI_KEY_PEM}};
  pki.pki_key.key.pem.public_cert = certificate;
  pki.pki_key.key.pem.private_key = key;
  return coap_context_set_pki(context, &pki) != 0;
}

static void answer_everything(coap_context_t *context, const struct wl_request_handler *handler) {
  coap_resource_t *anything = coap_resource_unknown_init(on_request);
  coap_register_request_handler(anything, COAP_REQUEST_GET, on_request);
  coap_register_request_handler(anything, COAP_REQUEST_POST, on_request);
  coap_register_request_handler(anything, COAP_REQUEST_DELETE, on_request);
  coap_resource_set_userdata(anything, (void *)handler);
  coap_add_resource(context, anything);
}

// Listens, over DTLS if there is a certificate with its key. The arguments must live until the
// context is freed. Returns NULL on an error of the system or of libcoap.
coap_context_t *wl_listen(const char *own, uint16_t port, const char *certificate, const char *key, const struct wl_request_handler *handler) {
  wl_init();
  coap_address_t address;
  coap_context_t *context = coap_new_context(NULL);
  if (context == NULL)
    return NULL;
  coap_proto_t protocol = certificate == NULL ? COAP_PROTO_UDP : COAP_PROTO_DTLS;
  bool is_open = wl_read_address(own, port, &address) && (certificate == NULL || encrypt(context, certificate, key)) &&
                 coap_new_endpoint(context, &address, protocol) != NULL;
  if (!is_open) {
    coap_free_context(context);
    return NULL;
  }
  wl_enlarge_receive_buffer();
  answer_everything(context, handler);
  return context;
}

void wl_free(coap_context_t *context) { coap_free_context(context); }
