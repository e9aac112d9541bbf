// The part that the sources which use libcoap's types share.
#ifndef SHIM_H
#define SHIM_H

#include <coap3/coap.h>
#include <stdbool.h>

// Starts libcoap and captures its log messages. Must be called first.
void wl_init(void);

// Parses an IPv4 or IPv6 address.
bool wl_read_address(const char *text, uint16_t port, coap_address_t *address);

// The default of 208 KiB overflows at a few hundred small datagrams; libcoap does not expose the
// descriptor of its socket.
void wl_enlarge_receive_buffer(void);

#endif
