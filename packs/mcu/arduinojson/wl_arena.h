/* The memory of JSON documents: a fixed arena that grows upwards and is reset between documents. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ArduinoJson.h>

extern "C" unsigned wl_arena_peak;
unsigned wl_arena_peak;
__attribute__((aligned(8))) uint8_t wl_arena[WL_ARENA];
static size_t wl_arena_used, wl_arena_last;

static inline void wl_arena_peaked(size_t used) {
    if (used > wl_arena_peak) wl_arena_peak = (unsigned)used;
}

#if ARDUINOJSON_VERSION_MAJOR >= 7
#define wl_arena_note(used) wl_arena_peaked(used)
#define WL_USED(document) (void)0
#else
/* Release 6 allocates its whole capacity at once, so the memory usage that the document reports is
 * recorded. */
#define wl_arena_note(used) (void)0
#define WL_USED(document) wl_arena_peaked((document).memoryUsage())
#endif

static inline void wl_arena_reset() { wl_arena_used = wl_arena_last = 0; }

static void *wl_arena_take(size_t size) {
    size_t rounded = (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    if (rounded > WL_ARENA - wl_arena_used) return 0;
    wl_arena_last = wl_arena_used;
    wl_arena_used += rounded;
    wl_arena_note(wl_arena_used);
    return wl_arena + wl_arena_last;
}

static void wl_arena_give(void *block) {
    if (block == wl_arena + wl_arena_last) wl_arena_used = wl_arena_last;
}

/* Only the newest block is resized in place; others are moved. The bytes after a block are within
 * the arena. */
static void *wl_arena_resize(void *block, size_t size) {
    if (!block) return wl_arena_take(size);
    if (block == wl_arena + wl_arena_last) {
        wl_arena_used = wl_arena_last;
        return wl_arena_take(size);
    }
    void *moved = wl_arena_take(size);
    if (moved) memmove(moved, block, size);
    return moved;
}

#if ARDUINOJSON_VERSION_MAJOR >= 7
struct wl_arena_allocator : ArduinoJson::Allocator {
    void *allocate(size_t size) override { return wl_arena_take(size); }
    void deallocate(void *block) override { wl_arena_give(block); }
    void *reallocate(void *block, size_t size) override { return wl_arena_resize(block, size); }
};
#else
struct wl_arena_allocator {
    void *allocate(size_t size) { return wl_arena_take(size); }
    void deallocate(void *block) { wl_arena_give(block); }
    void *reallocate(void *block, size_t size) { return wl_arena_resize(block, size); }
};
#endif
