/* A responder's script (docs/contracts/peer.md, "Scripts"). */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

enum method { GET, PUT, DELETE, METHODS };

/* An answer; `text` is owned by the script and lasts until the next answer. */
struct answer {
    bool is_done;
    const char *text;
    size_t length;
};

/* Reads a script in JSON; the reason if it is refused, else NULL. */
const char *read_script(const char *json);

/* Answers a request after the service time. METHODS stands for any other method. */
struct answer answer_request(enum method method, const char *target, const char *body, size_t length);

/* The size of each pool, as a JSON object. */
const char *pool_sizes(void);

#endif
