/* Helpers of the MSP430 EABI (TI SLAA534, section 6) that clang calls. Those with two 64-bit
   arguments take the first in R8..R11 and the second in R12..R15: TWO_WIDE brings them into the
   order of a C function. */
#include <stdint.h>

#include "softfloat.h"

typedef union { float value; uint32_t bits; } single;
typedef union { double value; uint64_t bits; } wide;
typedef union { uint64_t value; uint16_t word[4]; } words;

#define TWO_WIDE(name, function) \
    __asm__(".text\n.section .text." #name ",\"ax\",@progbits\n.global " #name "\n" #name ":\n" \
            "push r15\npush r14\npush r13\npush r12\nmov r8, r12\nmov r9, r13\nmov r10, r14\nmov r11, r15\n" \
            "call #" #function "\nadd #8, r1\nret\n.text\n")

/* 32-bit shifts: R12 (low), R13 (high) by R14. By words, then a byte, then bits. */
__asm__(".section .text.__mspabi_slll,\"ax\",@progbits\n.global __mspabi_slll\n__mspabi_slll:\n"
        "cmp #16, r14\njlo 1f\nmov r12, r13\nclr r12\nsub #16, r14\n"
        "1: cmp #8, r14\njlo 2f\nswpb r13\nswpb r12\nand #0xff00, r13\nmov.b r12, r15\nbis r15, r13\n"
        "and #0xff00, r12\nsub #8, r14\n"
        "2: tst r14\njz 4f\n3: rla r12\nrlc r13\ndec r14\njnz 3b\n4: ret\n.text\n");
__asm__(".section .text.__mspabi_srll,\"ax\",@progbits\n.global __mspabi_srll\n__mspabi_srll:\n"
        "cmp #16, r14\njlo 1f\nmov r13, r12\nclr r13\nsub #16, r14\n"
        "1: cmp #8, r14\njlo 2f\nswpb r12\nmov.b r12, r12\nswpb r13\nmov r13, r15\nand #0xff00, r15\nbis r15, r12\n"
        "mov.b r13, r13\nsub #8, r14\n"
        "2: tst r14\njz 4f\n3: clrc\nrrc r13\nrrc r12\ndec r14\njnz 3b\n4: ret\n.text\n");
__asm__(".section .text.__mspabi_sral,\"ax\",@progbits\n.global __mspabi_sral\n__mspabi_sral:\n"
        "cmp #16, r14\njlo 2f\nmov r13, r12\nrla r13\nsubc r13, r13\ninv r13\nsub #16, r14\n"
        "2: tst r14\njz 4f\n3: rra r13\nrrc r12\ndec r14\njnz 3b\n4: ret\n.text\n");

uint64_t __ashldi3(uint64_t value, int count) {
    words x = {value};
    for (; count >= 16; count -= 16) {
        x.word[3] = x.word[2];
        x.word[2] = x.word[1];
        x.word[1] = x.word[0];
        x.word[0] = 0;
    }
    if (count >= 8) {
        x.word[3] = (uint16_t)(x.word[3] << 8 | x.word[2] >> 8);
        x.word[2] = (uint16_t)(x.word[2] << 8 | x.word[1] >> 8);
        x.word[1] = (uint16_t)(x.word[1] << 8 | x.word[0] >> 8);
        x.word[0] = (uint16_t)(x.word[0] << 8);
        count -= 8;
    }
    while (count--) {
        x.word[3] = (uint16_t)(x.word[3] << 1 | x.word[2] >> 15);
        x.word[2] = (uint16_t)(x.word[2] << 1 | x.word[1] >> 15);
        x.word[1] = (uint16_t)(x.word[1] << 1 | x.word[0] >> 15);
        x.word[0] = (uint16_t)(x.word[0] << 1);
    }
    return x.value;
}

static uint64_t shift_right(uint64_t value, int count, uint16_t fill) {
    words x = {value};
    for (; count >= 16; count -= 16) {
        x.word[0] = x.word[1];
        x.word[1] = x.word[2];
        x.word[2] = x.word[3];
        x.word[3] = fill;
    }
    if (count >= 8) {
        x.word[0] = (uint16_t)(x.word[0] >> 8 | x.word[1] << 8);
        x.word[1] = (uint16_t)(x.word[1] >> 8 | x.word[2] << 8);
        x.word[2] = (uint16_t)(x.word[2] >> 8 | x.word[3] << 8);
        x.word[3] = (uint16_t)(x.word[3] >> 8 | (fill & 0xff00));
        count -= 8;
    }
    while (count--) {
        x.word[0] = (uint16_t)(x.word[0] >> 1 | x.word[1] << 15);
        x.word[1] = (uint16_t)(x.word[1] >> 1 | x.word[2] << 15);
        x.word[2] = (uint16_t)(x.word[2] >> 1 | x.word[3] << 15);
        x.word[3] = (uint16_t)(x.word[3] >> 1 | (fill & 0x8000));
    }
    return x.value;
}

uint64_t __lshrdi3(uint64_t value, int count) { return shift_right(value, count, 0); }
int64_t __ashrdi3(int64_t value, int count) { return (int64_t)shift_right((uint64_t)value, count, value < 0 ? 0xffff : 0); }

uint16_t __mspabi_mpyi(uint16_t a, uint16_t b) {
    uint16_t product = 0;
    for (; b; b >>= 1, a = (uint16_t)(a + a))
        if (b & 1) product = (uint16_t)(product + a);
    return product;
}

uint32_t __mspabi_mpyl(uint32_t a, uint32_t b) {
    uint32_t product = 0;
    for (; b; b >>= 1, a += a)
        if (b & 1) product += a;
    return product;
}

__attribute__((used)) static uint64_t multiply(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    for (; b; b >>= 1, a += a)
        if (b & 1) product += a;
    return product;
}
TWO_WIDE(__mspabi_mpyll, multiply);

/* As many steps as the quotient has bits; in a narrower type where both numbers fit one. */
#define DIVISION(type, divide, narrower) \
    static type divide(type n, type d, type *left) { \
        type quotient = 0, bit = 1; \
        narrower; \
        if (!d) return *left = 0; \
        while (d < n && !(d >> (8 * sizeof(type) - 1))) { \
            d = (type)(d + d); \
            bit = (type)(bit + bit); \
        } \
        for (; bit; bit >>= 1, d >>= 1) { \
            if (n >= d) { \
                n = (type)(n - d); \
                quotient |= bit; \
            } \
        } \
        *left = n; \
        return quotient; \
    }
#define NARROWER(type, divide) \
    if (!((n | d) >> (8 * sizeof(type)))) { \
        type rest, small = divide((type)n, (type)d, &rest); \
        *left = rest; \
        return small; \
    }
DIVISION(uint16_t, divide16, )
DIVISION(uint32_t, divide32, NARROWER(uint16_t, divide16))
DIVISION(uint64_t, divide64, NARROWER(uint32_t, divide32))

uint16_t __mspabi_divu(uint16_t n, uint16_t d) { uint16_t r; return divide16(n, d, &r); }
uint16_t __mspabi_remu(uint16_t n, uint16_t d) { uint16_t r; divide16(n, d, &r); return r; }
uint32_t __mspabi_divul(uint32_t n, uint32_t d) { uint32_t r; return divide32(n, d, &r); }
uint32_t __mspabi_remul(uint32_t n, uint32_t d) { uint32_t r; divide32(n, d, &r); return r; }
#define SIZE(a) ((a) < 0 ? -(a) : (a))
int16_t __mspabi_divi(int16_t n, int16_t d) { uint16_t r, q = divide16((uint16_t)SIZE(n), (uint16_t)SIZE(d), &r); return (int16_t)((n ^ d) < 0 ? -q : q); }
int16_t __mspabi_remi(int16_t n, int16_t d) { uint16_t r; divide16((uint16_t)SIZE(n), (uint16_t)SIZE(d), &r); return (int16_t)(n < 0 ? -r : r); }
int32_t __mspabi_divli(int32_t n, int32_t d) { uint32_t r, q = divide32((uint32_t)SIZE(n), (uint32_t)SIZE(d), &r); return (int32_t)((n ^ d) < 0 ? -q : q); }
int32_t __mspabi_remli(int32_t n, int32_t d) { uint32_t r; divide32((uint32_t)SIZE(n), (uint32_t)SIZE(d), &r); return (int32_t)(n < 0 ? -r : r); }

#define WIDE __attribute__((used)) static
WIDE uint64_t divide_u(uint64_t n, uint64_t d) { uint64_t r; return divide64(n, d, &r); }
WIDE uint64_t rest_u(uint64_t n, uint64_t d) { uint64_t r; divide64(n, d, &r); return r; }
WIDE int64_t divide_i(int64_t n, int64_t d) { uint64_t r, q = divide64((uint64_t)SIZE(n), (uint64_t)SIZE(d), &r); return (int64_t)((n ^ d) < 0 ? -q : q); }
WIDE int64_t rest_i(int64_t n, int64_t d) { uint64_t r; divide64((uint64_t)SIZE(n), (uint64_t)SIZE(d), &r); return (int64_t)(n < 0 ? -r : r); }
TWO_WIDE(__mspabi_divull, divide_u);
TWO_WIDE(__mspabi_remull, rest_u);
TWO_WIDE(__mspabi_divlli, divide_i);
TWO_WIDE(__mspabi_remlli, rest_i);

static uint64_t bits64(double a) { return (wide){.value = a}.bits; }
static double from64(uint64_t a) { return (wide){.bits = a}.value; }
static uint64_t bits32(float a) { return wl_f64_widen((single){.value = a}.bits); }
static uint32_t raw32(float a) { return (single){.value = a}.bits; }
static float single32(uint32_t a) { return (single){.bits = a}.value; }
static float from32(uint64_t a) { return (single){.bits = wl_f64_narrow(a)}.value; }

WIDE uint64_t subtract(uint64_t a, uint64_t b) { return wl_f64_add(a, b ^ WL_SIGN); }
WIDE int16_t compare(uint64_t a, uint64_t b) { return (int16_t)wl_f64_order(a, b); }
TWO_WIDE(__mspabi_addd, wl_f64_add);
TWO_WIDE(__mspabi_subd, subtract);
TWO_WIDE(__mspabi_mpyd, wl_f64_mul);
TWO_WIDE(__mspabi_divd, wl_f64_div);
TWO_WIDE(__mspabi_cmpd, compare);
float __mspabi_addf(float a, float b) { return single32(wl_f32_add(raw32(a), raw32(b))); }
float __mspabi_subf(float a, float b) { return single32(wl_f32_add(raw32(a), raw32(b) ^ WL_SIGN32)); }
float __mspabi_mpyf(float a, float b) { return single32(wl_f32_mul(raw32(a), raw32(b))); }
float __mspabi_divf(float a, float b) { return single32(wl_f32_div(raw32(a), raw32(b))); }
int16_t __mspabi_cmpf(float a, float b) { return (int16_t)wl_f32_order(raw32(a), raw32(b)); }

static uint64_t size64(int64_t a) { return a < 0 ? -(uint64_t)a : (uint64_t)a; }
static uint64_t whole64(int64_t a) { return wl_f64_from(size64(a), a < 0 ? WL_SIGN : 0); }
static int64_t cut(uint64_t a) { uint64_t m = wl_f64_magnitude(a & ~WL_SIGN); return (int64_t)(a & WL_SIGN ? -m : m); }
double __mspabi_fltid(int16_t a) { return from64(whole64(a)); }
double __mspabi_fltlid(int32_t a) { return from64(whole64(a)); }
double __mspabi_fltllid(int64_t a) { return from64(whole64(a)); }
double __mspabi_fltud(uint16_t a) { return from64(wl_f64_from(a, 0)); }
double __mspabi_fltuld(uint32_t a) { return from64(wl_f64_from(a, 0)); }
double __mspabi_fltulld(uint64_t a) { return from64(wl_f64_from(a, 0)); }
float __mspabi_fltif(int16_t a) { return from32(whole64(a)); }
float __mspabi_fltlif(int32_t a) { return from32(whole64(a)); }
float __mspabi_fltllif(int64_t a) { return from32(whole64(a)); }
float __mspabi_fltuf(uint16_t a) { return from32(wl_f64_from(a, 0)); }
float __mspabi_fltulf(uint32_t a) { return from32(wl_f64_from(a, 0)); }
float __mspabi_fltullf(uint64_t a) { return from32(wl_f64_from(a, 0)); }
int16_t __mspabi_fixdi(double a) { return (int16_t)cut(bits64(a)); }
int32_t __mspabi_fixdli(double a) { return (int32_t)cut(bits64(a)); }
int64_t __mspabi_fixdlli(double a) { return cut(bits64(a)); }
uint16_t __mspabi_fixdu(double a) { return (uint16_t)cut(bits64(a)); }
uint32_t __mspabi_fixdul(double a) { return (uint32_t)cut(bits64(a)); }
uint64_t __mspabi_fixdull(double a) { return (uint64_t)cut(bits64(a)); }
int16_t __mspabi_fixfi(float a) { return (int16_t)cut(bits32(a)); }
int32_t __mspabi_fixfli(float a) { return (int32_t)cut(bits32(a)); }
int64_t __mspabi_fixflli(float a) { return cut(bits32(a)); }
uint16_t __mspabi_fixfu(float a) { return (uint16_t)cut(bits32(a)); }
uint32_t __mspabi_fixful(float a) { return (uint32_t)cut(bits32(a)); }
uint64_t __mspabi_fixfull(float a) { return (uint64_t)cut(bits32(a)); }
double __mspabi_cvtfd(float a) { return from64(bits32(a)); }
float __mspabi_cvtdf(double a) { return from32(bits64(a)); }

/* Whether two numbers cannot be ordered has no name in the EABI; clang uses libgcc's. */
int __unorddf2(double a, double b) { return wl_f64_order(bits64(a), bits64(b)) == 2; }
int __unordsf2(float a, float b) { return wl_f32_order(raw32(a), raw32(b)) == 2; }
