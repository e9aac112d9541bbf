/* Marks are breakpoints of the simulator; its console device prints what is written to 0x00ff. */
#include "wirelab.h"

__attribute__((noinline)) void wl_begin(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void wl_end(void) { __asm__ volatile("nop"); }
void wl_put(char c) { *(volatile uint8_t *)0x00ff = (uint8_t)c; }

__attribute__((noinline)) void wl_exit(void) {
    for (;;) __asm__ volatile("nop");
}

__asm__(".section .start,\"ax\",@progbits\n.global wl_reset\nwl_reset:\n"
        "mov #_stack_top, r1\n"
        "mov #_sdata, r12\nmov #_etext, r13\n1: cmp #_edata, r12\njhs 2f\nmov.b @r13+, r15\nmov.b r15, 0(r12)\ninc r12\njmp 1b\n"
        "2: mov #_sbss, r12\n3: cmp #_ebss, r12\njhs 4f\nclr.b 0(r12)\ninc r12\njmp 3b\n"
        "4: call #wl_main\n5: jmp 5b\n"
        ".section .vectors,\"a\",@progbits\n.short wl_reset\n.text\n");
