/* Start-up, faults, marks; output by Arm semihosting. */
#include "wirelab.h"

#define CPACR (*(volatile uint32_t *)0xE000ED88)

extern uint32_t _etext[], _sdata[], _edata[], _sbss[], _ebss[], _stack_top[];

static void semihost(int operation, const void *argument) {
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

__attribute__((noinline)) void wl_begin(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void wl_end(void) { __asm__ volatile("nop"); }
void wl_put(char c) { semihost(3, &c); }

void wl_exit(void) {
    semihost(0x18, (void *)0x20026);
    for (;;) {}
}

__attribute__((used, noinline)) static void start(void) {
    for (uint32_t *to = _sdata, *from = _etext; to < _edata;) *to++ = *from++;
    for (uint32_t *at = _sbss; at < _ebss;) *at++ = 0;
    wl_main();
}

/* The FPU is on before any function that may save its registers. */
__attribute__((naked, used)) void wl_reset(void) {
    __asm__ volatile(
        "ldr r0, =0xE000ED88\n ldr r1, [r0]\n orr r1, r1, #0xF00000\n str r1, [r0]\n dsb\n isb\n b start\n");
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    _stack_top, (const void *)wl_reset, (const void *)wl_fault, (const void *)wl_fault,
    (const void *)wl_fault, (const void *)wl_fault, (const void *)wl_fault};
