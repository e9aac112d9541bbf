/* Helpers on tinycbor's iterator for reading a known structure. After an error, all further calls
 * fail. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include <cbor.h>

extern CborError wl_cbor_error;

/* Returns the index of the current key, or `count` if it is unknown, and advances to its value.
   `room` holds the key: `limit` characters and a NUL. */
uint8_t wl_cbor_key(CborValue *it, char *room, uint16_t limit, const char *const *keys, uint8_t count);
void wl_cbor_enter(CborValue *it, CborValue *inner, bool map);
void wl_cbor_leave(CborValue *it, CborValue *inner);
/* The items of an array, as its head tells; 0 if it is none. Inline: only payloads with unions or
 * tuples use it, and on the ESP8266 an unused function leaves four bytes in the image. */
static inline size_t wl_cbor_length(const CborValue *it) {
    size_t count = 0;
    if (cbor_value_is_array(it) && cbor_value_is_length_known(it)) {
        CborError error = cbor_value_get_array_length(it, &count);
        if (!wl_cbor_error) wl_cbor_error = error;
    }
    return count;
}
bool wl_cbor_more(const CborValue *inner);
bool wl_cbor_null(CborValue *it);
void wl_cbor_text(CborValue *it, char *text, uint16_t limit);
uint16_t wl_cbor_bytes(CborValue *it, uint8_t *bytes, uint16_t limit);
bool wl_cbor_bool(CborValue *it);
uint64_t wl_cbor_u64(CborValue *it, uint64_t limit);
int64_t wl_cbor_i64(CborValue *it, int64_t low, int64_t high);
float wl_cbor_float(CborValue *it);
double wl_cbor_double(CborValue *it);
