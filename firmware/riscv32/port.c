/* Start-up, traps, marks; output by RISC-V semihosting. */
#include "wirelab.h"

extern uint32_t _etext[], _sdata[], _edata[], _sbss[], _ebss[];

static void semihost(int operation, const void *argument) {
    register int a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = argument;
    __asm__ volatile(
        ".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
        : "+r"(a0) : "r"(a1) : "memory");
}

__attribute__((noinline)) void wl_begin(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void wl_end(void) { __asm__ volatile("nop"); }
void wl_put(char c) { semihost(3, &c); }

void wl_exit(void) {
    semihost(0x18, (void *)0x20026);
    for (;;) {}
}

__attribute__((used)) void wl_start(void) {
    for (uint32_t *to = _sdata, *from = _etext; to < _edata;) *to++ = *from++;
    for (uint32_t *at = _sbss; at < _ebss;) *at++ = 0;
    wl_main();
}

__asm__(".section .start,\"ax\"\n.global wl_reset\nwl_reset:\n"
        ".option push\n.option norelax\nla gp, __global_pointer$\n.option pop\n"
        "la sp, _stack_top\nla t0, wl_trap\ncsrw mtvec, t0\nj wl_start\n"
        ".balign 4\nwl_trap: la sp, _stack_top\nj wl_fault\n.text\n");
