#include "script.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NUMBERS = 1 << 16, LONGEST_NS = 1000000000, MOST_DIGITS = 9, NONE = -1 };

/* The numbers from 0; `holders` has the target that holds each, NULL for a free one. */
struct pool {
    const char *name;
    int size;
    char **holders;
    struct pool *next;
};

enum effect { TAKE, HOLD, RELEASE, REPLY, EFFECTS };

struct rule {
    enum effect effect;
    struct pool *pool;
    const char *answer;
};

static const char *const method_names[METHODS] = {"GET", "PUT", "DELETE"};
static const char *const effect_names[EFFECTS] = {"take", "hold", "release", "reply"};
static const char place[] = "{number}";

/* Never released: names and answers are used as long as the server runs. */
static const cJSON *script;
static struct pool *pools;
static struct rule rules[METHODS];
static bool has_rules;
static struct timespec service_time;

static void *allocate_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        abort();
    return memory;
}

static struct pool *pool_named(const char *name)
{
    struct pool *pool = pools;
    while (pool != NULL && strcmp(pool->name, name) != 0)
        pool = pool->next;
    return pool;
}

/* The index of a name; `count` for an unknown one. */
static int index_of(const char *name, const char *const *names, int count)
{
    int index = 0;
    while (index < count && (name == NULL || strcmp(name, names[index]) != 0))
        index++;
    return index;
}

static const char *read_pool(const cJSON *size)
{
    if (!cJSON_IsNumber(size) || size->valueint < 1 || size->valueint > MOST_NUMBERS)
        return "a pool has 1 to 65536 numbers";
    struct pool *pool = allocate_zeroed(1, sizeof *pool);
    *pool = (struct pool){size->string, size->valueint, NULL, pools};
    pool->holders = allocate_zeroed((size_t)pool->size, sizeof *pool->holders);
    pools = pool;
    return NULL;
}

static const char *read_rule(const cJSON *given)
{
    int method = index_of(given->string, method_names, METHODS);
    const char *pool = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(given, "pool"));
    const char *effect = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(given, "effect"));
    struct rule rule = {(enum effect)index_of(effect, effect_names, EFFECTS), pool_named(pool == NULL ? "" : pool),
                        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(given, "answer"))};
    if (method == METHODS)
        return "the methods are GET, PUT and DELETE";
    if (rule.effect == EFFECTS || rule.answer == NULL)
        return "a rule has an effect (take, hold, release or reply) and an answer";
    if (rule.effect != REPLY && rule.pool == NULL)
        return "a rule names a pool that the script does not have";
    rules[method] = rule;
    has_rules = true;
    return NULL;
}

const char *read_script(const char *json)
{
    const cJSON *item = NULL;
    script = cJSON_Parse(json);
    const char *why = cJSON_IsObject(script) ? NULL : "not a JSON object";
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(script, "pools"))
        why = why == NULL ? read_pool(item) : why;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(script, "on"))
        why = why == NULL ? read_rule(item) : why;
    item = cJSON_GetObjectItemCaseSensitive(script, "service_time_ns");
    double ns = item == NULL ? 0 : item->valuedouble;
    if (why == NULL && (ns < 0 || ns > LONGEST_NS || (item != NULL && !cJSON_IsNumber(item))))
        why = "a service time is 0 to 1000000000 ns";
    service_time = (struct timespec){(time_t)(ns / LONGEST_NS), (long)ns % LONGEST_NS};
    return why;
}

const char *pool_sizes(void)
{
    const cJSON *sizes = cJSON_GetObjectItemCaseSensitive(script, "pools");
    const char *text = sizes == NULL ? NULL : cJSON_PrintUnformatted(sizes);
    return text == NULL ? "{}" : text;
}

/* The lowest number that a target holds, or NULL for a free one; NONE if there is none. */
static int number_of(const struct pool *pool, const char *target)
{
    for (int number = 0; number < pool->size; number++) {
        const char *holder = pool->holders[number];
        if (holder == target || (holder != NULL && target != NULL && strcmp(holder, target) == 0))
            return number;
    }
    return NONE;
}

static void give(struct pool *pool, int number, const char *target)
{
    pool->holders[number] = allocate_zeroed(strlen(target) + 1, 1);
    strcpy(pool->holders[number], target);
}

static void release(struct pool *pool, int number)
{
    free(pool->holders[number]);
    pool->holders[number] = NULL;
}

static int number_in(const char *body, size_t length)
{
    char text[MOST_DIGITS + 1] = {0};
    if (length == 0 || length > MOST_DIGITS || strspn(memcpy(text, body, length), "0123456789") != length)
        return NONE;
    return atoi(text);
}

/* Carries out a rule; the number it concerns. NONE if it is refused, with the reason in `why`. */
static int apply(const struct rule *rule, const char *target, int wanted, const char **why)
{
    struct pool *pool = rule->pool;
    int held = number_of(pool, target);
    if (rule->effect == RELEASE) {
        if (held != NONE)
            release(pool, held);
        *why = "not here";
        return held;
    }
    if (rule->effect == TAKE) {
        if (held == NONE && (held = number_of(pool, NULL)) != NONE)
            give(pool, held, target);
        *why = "full";
        return held;
    }
    *why = "taken";
    if (wanted == held)
        return held;
    if (wanted >= pool->size || pool->holders[wanted] != NULL)
        return NONE;
    if (held != NONE)
        release(pool, held);
    give(pool, wanted, target);
    return wanted;
}

/* The answer of a rule, with a number in its place. */
static const char *written(const char *answer, int number)
{
    static char *text;
    size_t room = 1;
    for (const char *at = answer; *at != '\0'; at++)
        room += *at == place[0] ? MOST_DIGITS + 1 : 1;
    free(text);
    char *end = text = allocate_zeroed(room, 1);
    for (const char *found; (found = strstr(answer, place)) != NULL; answer = found + strlen(place))
        end += sprintf(end, "%.*s%d", (int)(found - answer), answer, number);
    strcpy(end, answer);
    return text;
}

static struct answer text_answer(bool is_done, const char *text)
{
    return (struct answer){is_done, text, strlen(text)};
}

struct answer answer_request(enum method method, const char *target, const char *body, size_t length)
{
    static char refusal[256];
    if (service_time.tv_sec > 0 || service_time.tv_nsec > 0)
        nanosleep(&service_time, NULL);
    const struct rule *rule = method == METHODS ? NULL : &rules[method];
    if (rule == NULL && has_rules)
        return text_answer(false, "not a request");
    if (rule == NULL || rule->answer == NULL)
        return (struct answer){true, body, length};
    if (rule->effect == REPLY)
        return text_answer(true, rule->answer);
    int wanted = rule->effect == HOLD ? number_in(body, length) : 0;
    if (wanted == NONE) {
        snprintf(refusal, sizeof refusal, "no %s", rule->pool->name);
        return text_answer(false, refusal);
    }
    const char *why = NULL;
    int number = apply(rule, target, wanted, &why);
    return number == NONE ? text_answer(false, why) : text_answer(true, written(rule->answer, number));
}
