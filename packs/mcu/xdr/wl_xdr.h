/* XDR, RFC 4506: big-endian, in units of four bytes. Every call checks the remaining space; after
   an error, all further calls fail. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *at, *end;
    bool failed;
} wl_xdr;

void wl_xdr_put_u32(wl_xdr *x, uint32_t value);
void wl_xdr_put_u64(wl_xdr *x, uint64_t value);
void wl_xdr_put_float(wl_xdr *x, float value);
void wl_xdr_put_double(wl_xdr *x, double value);
void wl_xdr_put_bytes(wl_xdr *x, const void *bytes, uint16_t size);
void wl_xdr_put_text(wl_xdr *x, const char *text);

uint32_t wl_xdr_get_u32(wl_xdr *x);
uint64_t wl_xdr_get_u64(wl_xdr *x);
float wl_xdr_get_float(wl_xdr *x);
double wl_xdr_get_double(wl_xdr *x);
bool wl_xdr_get_bool(wl_xdr *x);
/* A length or count of at most `limit`; beyond that, 0 and an error. */
uint16_t wl_xdr_get_count(wl_xdr *x, uint16_t limit);
uint16_t wl_xdr_get_bytes(wl_xdr *x, void *bytes, uint16_t limit);
/* `limit` does not include the terminating NUL. */
void wl_xdr_get_text(wl_xdr *x, char *text, uint16_t limit);
