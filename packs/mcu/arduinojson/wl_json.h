/* Runtime of the code generated for ArduinoJson 6 or 7. */
#pragma once
#include "wl_arena.h"
#include <ArduinoJson.h>

#if ARDUINOJSON_VERSION_MAJOR >= 7
static wl_arena_allocator allocator;
#define DOCUMENT(name) wl_arena_reset(); JsonDocument name(&allocator)
#else
#define DOCUMENT(name) wl_arena_reset(); BasicJsonDocument<wl_arena_allocator> name(WL_ARENA - 16)
#endif

static bool wrong;

static void take(JsonVariantConst from, char *to, size_t limit) {
    const char *text = from.as<const char *>();
    if (!text || strlen(text) > limit) { wrong = true; to[0] = 0; }
    else strcpy(to, text);
}

/* A new element at the end of an array, for values that are neither objects nor scalars. */
static inline JsonVariant slot(JsonArray array) {
    array.add(0);
    return array[array.size() - 1];
}

template <typename T>
static T number(JsonVariantConst from) {
    if (!from.is<T>()) wrong = true;
    return from.as<T>();
}
