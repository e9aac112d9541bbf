// Everything that needs the layout of libcoap's types: an endpoint with one session to one server, requests on it, what comes back.

#define _GNU_SOURCE // strchrnul
#include <coap3/coap.h>

#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { UNSENT = 0, MOST_DESCRIPTORS = 32, RECEIVE_BUFFER = 4 << 20 };

struct wl_settings {
  uint32_t ack_timeout_ms;
  uint32_t ack_random_factor_thousandths;
  uint16_t max_retransmit;
  uint16_t nstart;
  bool blocks;       // whether libcoap cuts and joins bodies of several blocks
  uint8_t block_szx; // their size: 2^(szx + 4)
  const char *authority; // over DTLS: the file of the certificate that the server's must be signed by; NULL for bare UDP
};

struct wl_hearer {
  void (*responded)(void *context, uint64_t token, uint8_t code, bool notifies, const uint8_t *body, size_t length);
  void (*undelivered)(void *context, uint64_t token, bool is_ping, int reason);
  void *context;
};

struct wl_endpoint {
  coap_context_t *context;
  coap_session_t *session;
  struct wl_settings settings;
  const struct wl_hearer *hearer;
};

const char *wl_version(void) { return LIBCOAP_PACKAGE_VERSION; }

static uint64_t token_of(const coap_pdu_t *pdu) {
  coap_bin_const_t token = coap_pdu_get_token(pdu);
  return coap_decode_var_bytes8(token.s, token.length);
}

static coap_response_t on_response(coap_session_t *session, const coap_pdu_t *sent, const coap_pdu_t *received,
                                   const coap_mid_t mid) {
  (void)sent, (void)mid;
  const struct wl_hearer *hearer = coap_session_get_app_data(session);
  const uint8_t *body = NULL;
  size_t length = 0, offset = 0, total = 0;
  coap_opt_iterator_t iterator;
  coap_get_data_large(received, &length, &body, &offset, &total);
  bool notifies = coap_check_option(received, COAP_OPTION_OBSERVE, &iterator) != NULL;
  hearer->responded(hearer->context, token_of(received), (uint8_t)coap_pdu_get_code(received), notifies, body, length);
  return COAP_RESPONSE_OK;
}

static void on_nack(coap_session_t *session, const coap_pdu_t *sent, const coap_nack_reason_t reason, const coap_mid_t mid) {
  (void)mid;
  const struct wl_hearer *hearer = coap_session_get_app_data(session);
  // An empty confirmable message is a ping (RFC 7252, 4.3).
  hearer->undelivered(hearer->context, token_of(sent), coap_pdu_get_code(sent) == COAP_EMPTY_CODE, (int)reason);
}

static void set(coap_session_t *session, const struct wl_settings *settings) {
  coap_fixed_point_t timeout = {(uint16_t)(settings->ack_timeout_ms / 1000), (uint16_t)(settings->ack_timeout_ms % 1000)};
  coap_fixed_point_t factor = {(uint16_t)(settings->ack_random_factor_thousandths / 1000),
                               (uint16_t)(settings->ack_random_factor_thousandths % 1000)};
  coap_session_set_ack_timeout(session, timeout);
  coap_session_set_ack_random_factor(session, factor);
  coap_session_set_max_retransmit(session, settings->max_retransmit);
  coap_session_set_nstart(session, settings->nstart);
}

static coap_session_t *session_to(coap_context_t *context, const coap_address_t *server, const char *authority) {
  if (authority == NULL)
    return coap_new_client_session(context, NULL, server, COAP_PROTO_UDP);
  coap_dtls_pki_t pki = {
      .version = COAP_DTLS_PKI_SETUP_VERSION,
      .verify_peer_cert = 1,
      .check_common_ca = 1,
      .cert_chain_validation = 1,
      .cert_chain_verify_depth = 2,
      .allow_no_crl = 1,
      .pki_key = {.key_type = COAP_PKI_KEY_PEM, .key.pem = {.ca_file = authority}},
  };
  return coap_new_client_session_pki(context, NULL, server, COAP_PROTO_DTLS, &pki);
}

void wl_close(struct wl_endpoint *endpoint) {
  // Frees the session as well, which tells the server of observations that are over.
  coap_free_context(endpoint->context);
  free(endpoint);
}

// What libcoap has said last: the cause of a failed handshake is told nowhere else.
static char said[256];

static void on_log(coap_log_t level, const char *message) {
  (void)level;
  snprintf(said, sizeof said, "%s", message);
}

const char *wl_said(void) { return said; }

// An IPv4 or IPv6 address, as text.
static bool read_address(const char *text, uint16_t port, coap_address_t *address) {
  coap_address_init(address);
  if (inet_pton(AF_INET, text, &address->addr.sin.sin_addr) == 1) {
    address->size = sizeof address->addr.sin;
    address->addr.sin.sin_family = AF_INET;
  } else if (inet_pton(AF_INET6, text, &address->addr.sin6.sin6_addr) == 1) {
    address->size = sizeof address->addr.sin6;
    address->addr.sin6.sin6_family = AF_INET6;
  } else {
    return false;
  }
  coap_address_set_port(address, port);
  return true;
}

// The default of 208 KiB overflows at a few hundred small datagrams; libcoap does not tell which descriptor its socket has.
static void enlarge_receive_buffer(void) {
  for (int descriptor = 0; descriptor < MOST_DESCRIPTORS; descriptor++) {
    int type = 0, bytes = RECEIVE_BUFFER;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM &&
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
}

// `hearer` must live until the endpoint is closed. NULL where the system refuses.
struct wl_endpoint *wl_open(const char *server, uint16_t port, const struct wl_settings *settings, const struct wl_hearer *hearer) {
  coap_startup();
  coap_set_log_handler(on_log);
  coap_address_t address;
  struct wl_endpoint *endpoint = malloc(sizeof *endpoint);
  if (endpoint == NULL || !read_address(server, port, &address)) {
    free(endpoint);
    return NULL;
  }
  *endpoint = (struct wl_endpoint){coap_new_context(NULL), NULL, *settings, hearer};
  if (endpoint->context != NULL) {
    coap_context_set_block_mode(endpoint->context, settings->blocks ? COAP_BLOCK_USE_LIBCOAP | COAP_BLOCK_SINGLE_BODY : 0);
    coap_register_response_handler(endpoint->context, on_response);
    coap_register_nack_handler(endpoint->context, on_nack);
    endpoint->session = session_to(endpoint->context, &address, settings->authority);
  }
  if (endpoint->session == NULL) {
    wl_close(endpoint);
    return NULL;
  }
  enlarge_receive_buffer();
  coap_session_set_app_data(endpoint->session, (void *)hearer);
  set(endpoint->session, settings);
  return endpoint;
}

// 1 once requests can be sent, 0 while a handshake goes on, -1 where none does.
int wl_state(const struct wl_endpoint *endpoint) {
  coap_session_state_t state = coap_session_get_state(endpoint->session);
  return state == COAP_SESSION_STATE_ESTABLISHED ? 1 : state == COAP_SESSION_STATE_NONE ? -1 : 0;
}

int wl_descriptor(const struct wl_endpoint *endpoint) { return coap_context_get_coap_fd(endpoint->context); }

bool wl_wait(int descriptor, int within_ms) {
  struct pollfd watched = {.fd = descriptor, .events = POLLIN};
  return poll(&watched, 1, within_ms) > 0;
}

// Takes what has come and does what is due, and waits at most so long for it; 0 waits not at all.
void wl_process(struct wl_endpoint *endpoint, uint32_t within_ms) {
  coap_io_process(endpoint->context, within_ms == 0 ? COAP_IO_NO_WAIT : within_ms);
}

bool wl_ping(struct wl_endpoint *endpoint) { return coap_session_send_ping(endpoint->session) != COAP_INVALID_MID; }

static bool add_path(coap_pdu_t *pdu, const char *path) {
  bool is_added = true;
  for (const char *end; is_added && *path != '\0'; path = *end == '\0' ? end : end + 1) {
    end = strchrnul(path, '/');
    is_added = end == path || coap_add_option(pdu, COAP_OPTION_URI_PATH, (size_t)(end - path), (const uint8_t *)path) != 0;
  }
  return is_added;
}

static void release(coap_session_t *session, void *copy) {
  (void)session;
  free(copy);
}

// Libcoap keeps a body of several blocks until the last one has been taken: it gets a copy.
static bool add_body(coap_session_t *session, coap_pdu_t *pdu, const uint8_t *body, size_t length, bool is_cut) {
  if (!is_cut)
    return length == 0 || coap_add_data(pdu, length, body) != 0;
  uint8_t *copy = malloc(length);
  if (copy == NULL)
    return false;
  memcpy(copy, body, length);
  return coap_add_data_large_request(session, pdu, length, copy, release, copy) != 0;
}

static bool add_block(coap_pdu_t *pdu, coap_option_num_t option, uint8_t szx) {
  uint8_t value[4];
  return coap_add_option(pdu, option, coap_encode_var_safe(value, sizeof value, szx), value) != 0;
}

// Sends one request; the token that its answer will have, 0 where libcoap refuses it. A GET observes.
uint64_t wl_ask(struct wl_endpoint *endpoint, bool is_confirmable, uint8_t method, const char *path, const uint8_t *body,
                size_t length) {
  coap_session_t *session = endpoint->session;
  coap_pdu_t *pdu = coap_new_pdu(is_confirmable ? COAP_MESSAGE_CON : COAP_MESSAGE_NON, (coap_pdu_code_t)method, session);
  if (pdu == NULL)
    return UNSENT;
  uint8_t token[8];
  size_t token_length = 0;
  coap_session_new_token(session, &token_length, token);
  const uint8_t szx = endpoint->settings.block_szx;
  bool observes = method == COAP_REQUEST_CODE_GET, is_cut = length > (size_t)16 << szx;
  // Options in the order of their numbers: Observe 6, Uri-Path 11, Block2 23, Block1 27.
  bool is_made = coap_add_token(pdu, token_length, token) != 0 &&
                 (!observes || coap_add_option(pdu, COAP_OPTION_OBSERVE, 0, NULL) != 0) && add_path(pdu, path) &&
                 (!observes || szx == 6 || add_block(pdu, COAP_OPTION_BLOCK2, szx)) &&
                 (!is_cut || add_block(pdu, COAP_OPTION_BLOCK1, szx)) && add_body(session, pdu, body, length, is_cut);
  if (!is_made) {
    coap_delete_pdu(pdu);
    return UNSENT;
  }
  return coap_send(session, pdu) == COAP_INVALID_MID ? UNSENT : coap_decode_var_bytes8(token, token_length);
}
