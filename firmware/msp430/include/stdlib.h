/* Codecs here take no memory from a heap; some name it in code that is not used. */
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
#ifdef __cplusplus
}
#endif
