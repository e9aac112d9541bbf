#include "wl_cbor.h"

#include <string.h>

CborError wl_cbor_error;

static bool fail(void) {
    if (!wl_cbor_error) wl_cbor_error = CborErrorImproperValue;
    return false;
}

static void note(CborError error) {
    if (error && !wl_cbor_error) wl_cbor_error = error;
}

uint8_t wl_cbor_key(CborValue *it, char *room, uint16_t limit, const char *const *keys, uint8_t count) {
    wl_cbor_text(it, room, limit);
    for (uint8_t i = 0; i < count; i++)
        if (!strcmp(room, keys[i])) return i;
    return fail(), count;
}

void wl_cbor_enter(CborValue *it, CborValue *inner, bool map) {
    if (map ? !cbor_value_is_map(it) : !cbor_value_is_array(it)) fail();
    else note(cbor_value_enter_container(it, inner));
}

void wl_cbor_leave(CborValue *it, CborValue *inner) {
    if (!wl_cbor_error) note(cbor_value_leave_container(it, inner));
}

bool wl_cbor_more(const CborValue *inner) { return !wl_cbor_error && !cbor_value_at_end(inner); }

bool wl_cbor_null(CborValue *it) {
    if (!cbor_value_is_null(it)) return false;
    note(cbor_value_advance_fixed(it));
    return true;
}

void wl_cbor_text(CborValue *it, char *text, uint16_t limit) {
    size_t size = (size_t)limit + 1;
    if (!cbor_value_is_text_string(it)) fail();
    else note(cbor_value_copy_text_string(it, text, &size, it));
    if (wl_cbor_error) text[0] = 0;
}

uint16_t wl_cbor_bytes(CborValue *it, uint8_t *bytes, uint16_t limit) {
    size_t size = limit;
    if (!cbor_value_is_byte_string(it)) return fail();
    note(cbor_value_copy_byte_string(it, bytes, &size, it));
    return wl_cbor_error ? 0 : (uint16_t)size;
}

bool wl_cbor_bool(CborValue *it) {
    bool value = false;
    if (!cbor_value_is_boolean(it)) return fail();
    cbor_value_get_boolean(it, &value);
    note(cbor_value_advance_fixed(it));
    return value;
}

uint64_t wl_cbor_u64(CborValue *it, uint64_t limit) {
    uint64_t value = 0;
    if (!cbor_value_is_unsigned_integer(it)) return fail();
    cbor_value_get_uint64(it, &value);
    note(cbor_value_advance_fixed(it));
    return value <= limit ? value : fail();
}

int64_t wl_cbor_i64(CborValue *it, int64_t low, int64_t high) {
    int64_t value = 0;
    if (!cbor_value_is_integer(it)) return fail();
    note(cbor_value_get_int64_checked(it, &value));
    note(cbor_value_advance_fixed(it));
    return low <= value && value <= high ? value : fail();
}

float wl_cbor_float(CborValue *it) {
    float value = 0;
    if (!cbor_value_is_float(it)) return fail();
    cbor_value_get_float(it, &value);
    note(cbor_value_advance_fixed(it));
    return value;
}

#if __SIZEOF_DOUBLE__ == 8
double wl_cbor_double(CborValue *it) {
    double value = 0;
    if (!cbor_value_is_double(it)) return fail();
    cbor_value_get_double(it, &value);
    note(cbor_value_advance_fixed(it));
    return value;
}
#endif
