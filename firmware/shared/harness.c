/* Every message: load, serialize, print, clear, deserialize, compare. Only what is between the
 * marks is counted. */
#include "wirelab.h"
#include "port.h"

#define PATTERN 0xA5A5A5A5u
#define PAINT_MAX 8192u

static void put_text(const char *text) {
    while (*text) wl_put(*text++);
}

static void put_number(unsigned value) {
    char digits[11];
    uint8_t at = sizeof digits - 1;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    put_text(digits + at);
    wl_put(' ');
}

static void put_hex(const uint8_t *bytes, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        uint8_t high = bytes[i] >> 4, low = bytes[i] & 15;
        wl_put((char)(high < 10 ? '0' + high : 'a' - 10 + high));
        wl_put((char)(low < 10 ? '0' + low : 'a' - 10 + low));
    }
    wl_put('\n');
}

void wl_fault(void) {
    put_text("!F\n");
    wl_exit();
}

#if WL_PAINTED
extern uint8_t _end[];
typedef uintptr_t word;

static inline __attribute__((always_inline)) word *paint_floor(uintptr_t sp) {
    uintptr_t end = (uintptr_t)_end;
    return (word *)(((sp - end > PAINT_MAX ? sp - PAINT_MAX : end) + sizeof(word) - 1) & ~(sizeof(word) - 1));
}
/* Inlined, so that the pattern reaches up to the stack pointer a codec starts with. */
#define PAINT() \
    do { \
        uintptr_t sp_ = WL_SP(); \
        for (volatile word *p_ = paint_floor(sp_); (uintptr_t)p_ < sp_; p_++) *p_ = (word)PATTERN; \
    } while (0)
#define PAINTED(depth) \
    do { \
        uintptr_t sp_ = WL_SP(); \
        volatile word *p_ = paint_floor(sp_); \
        while ((uintptr_t)p_ < sp_ && *p_ == (word)PATTERN) p_++; \
        (depth) = (unsigned)(sp_ - (uintptr_t)p_); \
        if (p_ == paint_floor(sp_)) { \
            put_text((uintptr_t)p_ < (uintptr_t)_end + sizeof(word) ? "!O\n" : "!P\n"); \
            wl_exit(); \
        } \
    } while (0)
#else
#define PAINT() (void)0
#define PAINTED(depth) (depth) = 0
#endif

static void measure(uint8_t index) {
    unsigned length, serialize_stack = 0, deserialize_stack = 0;
    bool decoded;
    uint32_t before, floats;
    wl_load(index);
    before = wl_fold();
    floats = wl_fold_floats();
    PAINT();
    wl_begin();
    length = wl_serialize();
    wl_end();
    PAINTED(serialize_stack);
    wl_clear();
    PAINT();
    wl_begin();
    decoded = wl_deserialize(length);
    wl_end();
    PAINTED(deserialize_stack);
    put_text("M ");
    put_number(length);
    put_number(decoded);
    put_number(decoded && wl_fold() == before);
    put_number(wl_fold_floats() == floats);
    put_number(serialize_stack);
    put_number(deserialize_stack);
    put_number(wl_heap_peak());
    put_hex(wl_buffer, length);
}

void wl_main(void) {
    wl_begin();
    wl_end();
    for (uint8_t i = 0; i < wl_messages; i++) measure(i);
    put_text("!E\n");
    wl_exit();
}
