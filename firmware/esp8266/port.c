/* Start-up and marks; output by the simulator's SIMCALL (write 4, exit 1), collected in blocks. */
#include "wirelab.h"

static char block[64];
static unsigned used;

static void simcall(int call, int a, int b, int c) {
    register int a2 __asm__("a2") = call;
    register int a3 __asm__("a3") = a;
    register int a4 __asm__("a4") = b;
    register int a5 __asm__("a5") = c;
    __asm__ volatile("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
}

static void flush(void) {
    simcall(4, 1, (int)block, (int)used);
    used = 0;
}

__attribute__((noinline)) void wl_begin(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void wl_end(void) { __asm__ volatile("nop"); }

void wl_put(char c) {
    block[used++] = c;
    if (used == sizeof block) flush();
}

void wl_exit(void) {
    flush();
    simcall(1, 0, 0, 0);
    for (;;) {}
}

__asm__(".section .text.wl_reset, \"ax\"\n.align 4\n.literal_position\n"
        ".literal .Lstack, _stack_top\n.literal .Lmain, wl_main\n.literal .Lbss, _sbss\n.literal .Lbss_end, _ebss\n"
        ".global wl_reset\n.align 4\nwl_reset:\n"
        "l32r a1, .Lstack\nl32r a2, .Lbss\nl32r a3, .Lbss_end\nmovi a4, 0\n"
        "1: bgeu a2, a3, 2f\ns32i a4, a2, 0\naddi a2, a2, 4\nj 1b\n"
        "2: l32r a2, .Lmain\ncallx0 a2\n3: j 3b\n.text\n");
