#pragma once
#include <stdint.h>
#define WL_PAINTED 1
static inline __attribute__((always_inline)) uintptr_t WL_SP(void) {
    uintptr_t sp;
    __asm__ volatile("mv %0, sp" : "=r"(sp));
    return sp;
}
