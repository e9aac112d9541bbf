// What the parts that need the layout of libcoap's types share.
#ifndef SHIM_H
#define SHIM_H

#include <coap3/coap.h>
#include <stdbool.h>

// Has libcoap start up, and keep what it says. Before all else.
void wl_begin(void);

// An IPv4 or IPv6 address, as text.
bool wl_read_address(const char *text, uint16_t port, coap_address_t *address);

// The default of 208 KiB overflows at a few hundred small datagrams; libcoap does not tell which descriptor its socket has.
void wl_enlarge_receive_buffer(void);

#endif
