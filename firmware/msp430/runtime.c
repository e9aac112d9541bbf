/* The C library functions codecs need. */
#include <string.h>

void *memcpy(void *to, const void *from, size_t count) {
    char *out = to;
    const char *in = from;
    while (count--) *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    char *out = to;
    const char *in = from;
    if (out <= in) return memcpy(to, from, count);
    while (count--) out[count] = in[count];
    return to;
}

void *memset(void *to, int value, size_t count) {
    char *out = to;
    while (count--) *out++ = (char)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t count) {
    const unsigned char *x = a, *y = b;
    for (; count--; x++, y++)
        if (*x != *y) return *x - *y;
    return 0;
}

void *memchr(const void *in, int value, size_t count) {
    const unsigned char *at = in;
    for (; count--; at++)
        if (*at == (unsigned char)value) return (void *)at;
    return NULL;
}

size_t strlen(const char *text) {
    const char *at = text;
    while (*at) at++;
    return (size_t)(at - text);
}

int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t count) {
    while (count && *a && *a == *b) a++, b++, count--;
    return count ? (unsigned char)*a - (unsigned char)*b : 0;
}

char *strcpy(char *to, const char *from) {
    char *out = to;
    while ((*out++ = *from++)) {}
    return to;
}
