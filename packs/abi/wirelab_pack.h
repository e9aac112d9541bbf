/* The codec pack ABI, version 1. See docs/contracts/pack.md. */
#ifndef WIRELAB_PACK_H
#define WIRELAB_PACK_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define WL_PACK_ABI 1

typedef struct wl_corpus wl_corpus;
typedef struct wl_session wl_session;

enum wl_phase {
    WL_POPULATE = 0, WL_ENCODE = 1, WL_ACCESS = 2, WL_ACCESS_VALIDATED = 3,
    WL_DECODE = 4, WL_CONVERT = 5, WL_SERIALIZE = 6, WL_DESERIALIZE = 7
};

/* One timed loop: `iterations` passes over messages [first, first + count). */
typedef struct {
    uint64_t wall_ns;   /* CLOCK_MONOTONIC around the loop */
    uint64_t cpu_ns;    /* CLOCK_THREAD_CPUTIME_ID around the loop */
    uint64_t operations;/* iterations * count */
    uint64_t bytes;     /* encoded bytes produced or consumed */
    uint64_t checksum;  /* of every field read, or of the bytes; keeps the work alive */
} wl_timing;

uint32_t wl_abi_version(void);
const char *wl_describe(void);
const char *wl_last_error(void);

/* Parse a corpus (JSON Lines, UTF-8, as the control plane normalised it) into native objects. */
int wl_corpus_open(const uint8_t *jsonl, size_t len, wl_corpus **out);
uint64_t wl_corpus_len(const wl_corpus *);
void wl_corpus_close(wl_corpus *);

/* Open a codec with its reusable buffers. Encodes the whole corpus once, as input of the decode
 * phases. */
int wl_session_open(const wl_corpus *, const char *codec, wl_session **out);
void wl_session_close(wl_session *);

/* Encode message `index` from its native object; the bytes are valid until the session's next
 * call. */
int wl_encode(wl_session *, uint64_t index, const uint8_t **out, size_t *len);
/* Read every field of `bytes` and store the checksum; an error unless they are one complete valid
 * message. */
int wl_decode(wl_session *, const uint8_t *bytes, size_t len, uint64_t *checksum);
/* Decode `bytes` to JSON; valid until the session's next call. For the round-trip check. */
int wl_to_json(wl_session *, const uint8_t *bytes, size_t len, const uint8_t **out, size_t *out_len);
/* Run a phase and time it from inside. An error if the codec does not support the phase. */
int wl_run(wl_session *, uint32_t phase, uint64_t first, uint64_t count, uint64_t iterations, wl_timing *out);

#ifdef __cplusplus
}
#endif
#endif
