// The part that client and server share.

#include "shim.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

enum { MAX_DESCRIPTORS = 32, RECEIVE_BUFFER = 4 << 20 };

const char *wl_version(void) { return LIBCOAP_PACKAGE_VERSION; }

// The last log message of libcoap: the cause of a failed handshake is reported nowhere else.
static char last_message[256];

static void on_log(coap_log_t level, const char *message) {
  (void)level;
  snprintf(last_message, sizeof last_message, "%s", message);
}

const char *wl_last_message(void) { return last_message; }

void wl_init(void) {
  coap_startup();
  coap_set_log_handler(on_log);
}

bool wl_read_address(const char *text, uint16_t port, coap_address_t *address) {
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

void wl_enlarge_receive_buffer(void) {
  for (int descriptor = 0; descriptor < MAX_DESCRIPTORS; descriptor++) {
    int type = 0, bytes = RECEIVE_BUFFER;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM &&
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
}

int wl_descriptor(const coap_context_t *context) { return coap_context_get_coap_fd(context); }

bool wl_wait(int descriptor, int within_ms) {
  struct pollfd watched = {.fd = descriptor, .events = POLLIN};
  return poll(&watched, 1, within_ms) > 0;
}

// Processes incoming datagrams and timers, and waits at most this long for them; 0 does not wait.
void wl_process(coap_context_t *context, uint32_t within_ms) {
  coap_io_process(context, within_ms == 0 ? COAP_IO_NO_WAIT : within_ms);
}
