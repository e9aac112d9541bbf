// An endpoint: sessions with one server, requests, and responses.

#define _GNU_SOURCE // strchrnul
#include "shim.h"

#include <stdlib.h>
#include <string.h>

enum { UNSENT = 0 };

struct wl_settings {
  uint32_t ack_timeout_ms;
  uint32_t ack_random_factor_thousandths;
  uint16_t max_retransmit;
  uint16_t nstart;
  bool blocks;       // whether libcoap splits and joins bodies of several blocks
  uint8_t block_szx; // block size: 2^(szx + 4)
  const char *authority; // DTLS: file of the certificate authority; NULL for plain UDP
};

struct wl_response_handler {
  void (*responded)(void *context, uint64_t token, uint8_t code, bool notifies, const uint8_t *body, size_t length);
  void (*undelivered)(void *context, uint64_t token, bool is_ping, int reason);
  void *context;
};

struct wl_endpoint {
  coap_context_t *context;
  coap_address_t server;
  coap_session_t *session;
  struct wl_settings settings;
  const struct wl_response_handler *handler;
  uint64_t last_token;
};

struct wl_request {
  bool is_confirmable;
  bool observes;
  uint8_t method;
  const char *path;
  const uint8_t *body;
  size_t length;
};

static uint64_t token_of(const coap_pdu_t *pdu) {
  coap_bin_const_t token = coap_pdu_get_token(pdu);
  return coap_decode_var_bytes8(token.s, token.length);
}

static coap_response_t on_response(coap_session_t *session, const coap_pdu_t *sent, const coap_pdu_t *received,
                                   const coap_mid_t mid) {
  (void)sent, (void)mid;
  const struct wl_response_handler *handler = coap_session_get_app_data(session);
  const uint8_t *body = NULL;
  size_t length = 0, offset = 0, total = 0;
  coap_opt_iterator_t iterator;
  coap_get_data_large(received, &length, &body, &offset, &total);
  bool notifies = coap_check_option(received, COAP_OPTION_OBSERVE, &iterator) != NULL;
  handler->responded(handler->context, token_of(received), (uint8_t)coap_pdu_get_code(received), notifies, body, length);
  return COAP_RESPONSE_OK;
}

static void on_nack(coap_session_t *session, const coap_pdu_t *sent, const coap_nack_reason_t reason, const coap_mid_t mid) {
  (void)mid;
  const struct wl_response_handler *handler = coap_session_get_app_data(session);
  // An empty confirmable message is a ping (RFC 7252, 4.3).
  handler->undelivered(handler->context, token_of(sent), coap_pdu_get_code(sent) == COAP_EMPTY_CODE, (int)reason);
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

static coap_session_t *session_of(const struct wl_endpoint *endpoint) {
  coap_session_t *session = session_to(endpoint->context, &endpoint->server, endpoint->settings.authority);
  if (session != NULL) {
    coap_session_set_app_data(session, (void *)endpoint->handler);
    set(session, &endpoint->settings);
  }
  return session;
}

void wl_close(struct wl_endpoint *endpoint) {
  // Also frees the sessions, which makes libcoap deregister observations.
  coap_free_context(endpoint->context);
  free(endpoint);
}

// `handler` and the authority's name must live until the endpoint is closed. Returns NULL on an
// error of the system.
struct wl_endpoint *wl_open(const char *server, uint16_t port, const struct wl_settings *settings, const struct wl_response_handler *handler) {
  wl_init();
  struct wl_endpoint *endpoint = calloc(1, sizeof *endpoint);
  if (endpoint == NULL || !wl_read_address(server, port, &endpoint->server)) {
    free(endpoint);
    return NULL;
  }
  endpoint->context = coap_new_context(NULL);
  endpoint->settings = *settings;
  endpoint->handler = handler;
  if (endpoint->context != NULL) {
    coap_context_set_block_mode(endpoint->context, settings->blocks ? COAP_BLOCK_USE_LIBCOAP | COAP_BLOCK_SINGLE_BODY : 0);
    coap_register_response_handler(endpoint->context, on_response);
    coap_register_nack_handler(endpoint->context, on_nack);
    endpoint->session = session_of(endpoint);
  }
  if (endpoint->session == NULL) {
    wl_close(endpoint);
    return NULL;
  }
  wl_enlarge_receive_buffer();
  return endpoint;
}

coap_context_t *wl_context(const struct wl_endpoint *endpoint) { return endpoint->context; }

// One more session with its own socket, for one request; NULL on an error of the system. libcoap
// counts tokens from 1 in each session; here they continue from the last one.
coap_session_t *wl_another(struct wl_endpoint *endpoint) {
  coap_session_t *session = session_of(endpoint);
  uint8_t token[8];
  if (session != NULL)
    coap_session_init_token(session, coap_encode_var_safe8(token, sizeof token, endpoint->last_token), token);
  return session;
}

void wl_leave(coap_session_t *session) { coap_session_release(session); }

// 1 once requests can be sent, 0 during a handshake, -1 if there is none.
int wl_state(const struct wl_endpoint *endpoint) {
  coap_session_state_t state = coap_session_get_state(endpoint->session);
  return state == COAP_SESSION_STATE_ESTABLISHED ? 1 : state == COAP_SESSION_STATE_NONE ? -1 : 0;
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

// libcoap keeps a body of several blocks until its last block has been sent, so it gets a copy.
static bool add_body(coap_session_t *session, coap_pdu_t *pdu, const struct wl_request *request, bool is_cut) {
  if (!is_cut)
    return request->length == 0 || coap_add_data(pdu, request->length, request->body) != 0;
  uint8_t *copy = malloc(request->length);
  if (copy == NULL)
    return false;
  memcpy(copy, request->body, request->length);
  return coap_add_data_large_request(session, pdu, request->length, copy, release, copy) != 0;
}

static bool add_block(coap_pdu_t *pdu, coap_option_num_t option, uint8_t szx) {
  uint8_t value[4];
  return coap_add_option(pdu, option, coap_encode_var_safe(value, sizeof value, szx), value) != 0;
}

// Sends one request, on the endpoint's own session if `session` is NULL. Returns the token of the
// request, 0 if libcoap rejects it.
uint64_t wl_ask(struct wl_endpoint *endpoint, coap_session_t *session, const struct wl_request *request) {
  if (session == NULL)
    session = endpoint->session;
  coap_pdu_type_t type = request->is_confirmable ? COAP_MESSAGE_CON : COAP_MESSAGE_NON;
  coap_pdu_t *pdu = coap_new_pdu(type, (coap_pdu_code_t)request->method, session);
  if (pdu == NULL)
    return UNSENT;
  uint8_t token[8];
  size_t token_length = 0;
  coap_session_new_token(session, &token_length, token);
  const uint8_t szx = endpoint->settings.block_szx;
  bool observes = request->observes, is_cut = request->length > (size_t)16 << szx;
  // Options in the order of their numbers: Observe 6, Uri-Path 11, Block2 23, Block1 27.
  bool is_made = coap_add_token(pdu, token_length, token) != 0 &&
                 (!observes || coap_add_option(pdu, COAP_OPTION_OBSERVE, 0, NULL) != 0) && add_path(pdu, request->path) &&
                 (!observes || szx == 6 || add_block(pdu, COAP_OPTION_BLOCK2, szx)) &&
                 (!is_cut || add_block(pdu, COAP_OPTION_BLOCK1, szx)) && add_body(session, pdu, request, is_cut);
  if (!is_made) {
    coap_delete_pdu(pdu);
    return UNSENT;
  }
  if (coap_send(session, pdu) == COAP_INVALID_MID)
    return UNSENT;
  return endpoint->last_token = coap_decode_var_bytes8(token, token_length);
}
