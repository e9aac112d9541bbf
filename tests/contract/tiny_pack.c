/* A codec pack of one codec, `lines/c`: a message is its line of the corpus. It exists to show that
 * the ABI, and not a shared library, is what makes a pack. */
#include <stdlib.h>
#include <string.h>

#include "wirelab_pack.h"

struct wl_corpus { char *text; const char *line[1000]; size_t length[1000]; uint64_t lines; };
struct wl_session { const struct wl_corpus *corpus; uint8_t buffer[4096]; };

static const char *problem = "";
static int fail(const char *why) { problem = why; return -1; }

uint32_t wl_abi_version(void) { return WL_PACK_ABI; }
const char *wl_last_error(void) { return problem; }
const char *wl_describe(void) {
    return "{\"abi\":1,\"language\":\"c\",\"schema\":\"none\",\"toolchain\":\"cc\",\"codecs\":[{\"name\":\"lines/c\",\"format\":\"lines\","
           "\"library\":\"c\",\"version\":\"1\",\"phases\":[\"encode\",\"decode\"],\"options\":{},\"losses\":[],\"self_delimiting\":false}]}";
}

int wl_corpus_open(const uint8_t *jsonl, size_t len, wl_corpus **out) {
    wl_corpus *corpus = calloc(1, sizeof *corpus);
    corpus->text = malloc(len + 1);
    memcpy(corpus->text, jsonl, len);
    corpus->text[len] = 0;
    for (char *line = strtok(corpus->text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] != '{') return fail("line 2: not an object");
        corpus->line[corpus->lines] = line;
        corpus->length[corpus->lines++] = strlen(line);
    }
    *out = corpus;
    return 0;
}
uint64_t wl_corpus_len(const wl_corpus *corpus) { return corpus->lines; }
void wl_corpus_close(wl_corpus *corpus) { free(corpus->text); free(corpus); }

int wl_session_open(const wl_corpus *corpus, const char *codec, wl_session **out) {
    if (strcmp(codec, "lines/c") != 0) return fail("no such codec; there is lines/c");
    *out = calloc(1, sizeof **out);
    (*out)->corpus = corpus;
    return 0;
}
void wl_session_close(wl_session *session) { free(session); }

int wl_encode(wl_session *session, uint64_t index, const uint8_t **out, size_t *len) {
    *len = session->corpus->length[index];
    memcpy(session->buffer, session->corpus->line[index], *len);
    *out = session->buffer;
    return 0;
}
int wl_decode(wl_session *session, const uint8_t *bytes, size_t len, uint64_t *checksum) {
    (void)session;
    if (len == 0 || bytes[0] != '{' || bytes[len - 1] != '}') return fail("not a line");
    *checksum = len;
    return 0;
}
int wl_to_json(wl_session *session, const uint8_t *bytes, size_t len, const uint8_t **out, size_t *out_len) {
    (void)session;
    *out = bytes;
    *out_len = len;
    return 0;
}
int wl_run(wl_session *session, uint32_t phase, uint64_t first, uint64_t count, uint64_t iterations, wl_timing *out) {
    (void)session, (void)phase, (void)first, (void)count, (void)iterations, (void)out;
    return fail("nothing is timed here");
}
