#include "wl_xdr.h"

#include <string.h>

static uint8_t *take(wl_xdr *x, uint16_t size) {
    uint8_t *at = x->at;
    if ((size_t)(x->end - at) < size) {
        x->failed = true;
        x->end = at;
        return NULL;
    }
    x->at = at + size;
    return at;
}

void wl_xdr_put_u32(wl_xdr *x, uint32_t value) {
    uint8_t *at = take(x, 4);
    if (!at) return;
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

void wl_xdr_put_u64(wl_xdr *x, uint64_t value) {
    wl_xdr_put_u32(x, (uint32_t)(value >> 32));
    wl_xdr_put_u32(x, (uint32_t)value);
}

void wl_xdr_put_float(wl_xdr *x, float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    wl_xdr_put_u32(x, bits);
}

void wl_xdr_put_bytes(wl_xdr *x, const void *bytes, uint16_t size) {
    wl_xdr_put_u32(x, size);
    uint8_t padding = (uint8_t)(-size & 3);
    uint8_t *at = take(x, (uint16_t)(size + padding));
    if (!at) return;
    memcpy(at, bytes, size);
    for (at += size; padding; padding--) *at++ = 0;
}

void wl_xdr_put_text(wl_xdr *x, const char *text) { wl_xdr_put_bytes(x, text, (uint16_t)strlen(text)); }

uint32_t wl_xdr_get_u32(wl_xdr *x) {
    const uint8_t *at = take(x, 4);
    if (!at) return 0;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint16_t)(at[2] << 8) | at[3];
}

uint64_t wl_xdr_get_u64(wl_xdr *x) {
    uint64_t high = wl_xdr_get_u32(x);
    return high << 32 | wl_xdr_get_u32(x);
}

float wl_xdr_get_float(wl_xdr *x) {
    uint32_t bits = wl_xdr_get_u32(x);
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

bool wl_xdr_get_bool(wl_xdr *x) {
    uint32_t value = wl_xdr_get_u32(x);
    if (value > 1) x->failed = true;
    return value != 0;
}

uint16_t wl_xdr_get_count(wl_xdr *x, uint16_t limit) {
    uint32_t count = wl_xdr_get_u32(x);
    if (count <= limit) return (uint16_t)count;
    x->failed = true;
    x->end = x->at;
    return 0;
}

uint16_t wl_xdr_get_bytes(wl_xdr *x, void *bytes, uint16_t limit) {
    uint16_t size = wl_xdr_get_count(x, limit);
    const uint8_t *at = take(x, (uint16_t)((size + 3u) & ~3u));
    if (!at) return 0;
    memcpy(bytes, at, size);
    return size;
}

void wl_xdr_get_text(wl_xdr *x, char *text, uint16_t limit) { text[wl_xdr_get_bytes(x, text, limit)] = 0; }

#if __SIZEOF_DOUBLE__ == 8
void wl_xdr_put_double(wl_xdr *x, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    wl_xdr_put_u64(x, bits);
}

double wl_xdr_get_double(wl_xdr *x) {
    uint64_t bits = wl_xdr_get_u64(x);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}
#else
/* A 32-bit `double` (AVR) is written as the 64-bit one with the same value, and read with its
   digits cut to 24 bits, rounded half away from zero. Subnormal numbers become zero. */
void wl_xdr_put_double(wl_xdr *x, double value) {
    uint32_t bits, high;
    memcpy(&bits, &value, 4);
    uint16_t exponent = bits >> 23 & 0xff;
    if (!exponent) high = 0;
    else high = (uint32_t)(exponent == 0xff ? 0x7ff : exponent + 896) << 20 | (bits >> 3 & 0xfffff);
    wl_xdr_put_u32(x, (bits & 0x80000000u) | high);
    wl_xdr_put_u32(x, exponent ? bits << 29 : 0);
}

double wl_xdr_get_double(wl_xdr *x) {
    uint32_t high = wl_xdr_get_u32(x), low = wl_xdr_get_u32(x);
    int16_t exponent = (int16_t)((high >> 20 & 0x7ff) - 896);
    uint32_t bits = 0;
    if (exponent >= 255) bits = 0x7f800000u;
    else if (exponent > 0) bits = (uint32_t)exponent << 23 | (high & 0xfffff) << 3 | low >> 29;
    if (exponent > 0 && exponent < 255) bits += low >> 28 & 1;
    bits |= high & 0x80000000u;
    double value;
    memcpy(&value, &bits, 4);
    return value;
}
#endif
