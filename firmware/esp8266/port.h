#pragma once
#include <stdint.h>
#define WL_PAINTED 1
static inline __attribute__((always_inline)) uintptr_t WL_SP(void) {
    uintptr_t sp;
    __asm__ volatile("mov %0, a1" : "=r"(sp));
    return sp;
}
