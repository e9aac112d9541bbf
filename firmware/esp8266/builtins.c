/* Division and floating point are in the ESP8266's ROM, which the simulator lacks. These are
 * in their place. */
#include <stdint.h>

#include "softfloat.h"

typedef union { float value; uint32_t bits; } single;
typedef union { double value; uint64_t bits; } wide;

/* One step per bit of the quotient; the NSAU instruction finds how many these are. */
static uint32_t divide(uint32_t n, uint32_t d, uint32_t *rest) {
    uint32_t quotient = 0;
    if (d && n >= d) {
        uint8_t steps = (uint8_t)(__builtin_clz(d) - __builtin_clz(n));
        d <<= steps;
        do {
            quotient <<= 1;
            if (n >= d) {
                n -= d;
                quotient |= 1;
            }
            d >>= 1;
        } while (steps--);
    }
    *rest = n;
    return quotient;
}

uint32_t __udivsi3(uint32_t n, uint32_t d) { uint32_t rest; return divide(n, d, &rest); }
uint32_t __umodsi3(uint32_t n, uint32_t d) { uint32_t rest; divide(n, d, &rest); return rest; }
static uint32_t size_of(int32_t a) { return a < 0 ? -(uint32_t)a : (uint32_t)a; }
int32_t __divsi3(int32_t n, int32_t d) {
    uint32_t q = __udivsi3(size_of(n), size_of(d));
    return (int32_t)((n ^ d) < 0 ? -q : q);
}
int32_t __modsi3(int32_t n, int32_t d) {
    uint32_t r = __umodsi3(size_of(n), size_of(d));
    return (int32_t)(n < 0 ? -r : r);
}

static uint64_t divide64(uint64_t n, uint64_t d, uint64_t *rest) {
    uint64_t quotient = 0, bit = 1;
    if (!((n | d) >> 32)) {
        uint32_t left, small = divide((uint32_t)n, (uint32_t)d, &left);
        *rest = left;
        return small;
    }
    if (!d) return *rest = 0;
    while (d < n && !(d >> 63)) {
        d <<= 1;
        bit <<= 1;
    }
    for (; bit; bit >>= 1, d >>= 1) {
        if (n >= d) {
            n -= d;
            quotient |= bit;
        }
    }
    *rest = n;
    return quotient;
}

uint64_t __muldi3(uint64_t a, uint64_t b) {
    uint32_t ah = (uint32_t)(a >> 32), al = (uint32_t)a, bh = (uint32_t)(b >> 32), bl = (uint32_t)b;
    uint32_t a1 = al >> 16, a0 = al & 0xffff, b1 = bl >> 16, b0 = bl & 0xffff;
    uint32_t low = a0 * b0, one = a1 * b0, two = a0 * b1;
    uint32_t middle = (low >> 16) + (one & 0xffff) + (two & 0xffff);
    uint32_t high = a1 * b1 + (one >> 16) + (two >> 16) + (middle >> 16) + ah * bl + al * bh;
    return (uint64_t)high << 32 | (uint32_t)(middle << 16 | (low & 0xffff));
}

uint64_t __udivdi3(uint64_t n, uint64_t d) { uint64_t rest; return divide64(n, d, &rest); }
uint64_t __umoddi3(uint64_t n, uint64_t d) { uint64_t rest; divide64(n, d, &rest); return rest; }

static uint64_t bits64(double a) { return (wide){.value = a}.bits; }
static double from64(uint64_t a) { return (wide){.bits = a}.value; }
static uint64_t bits32(float a) { return wl_f64_widen((single){.value = a}.bits); }
static uint32_t raw32(float a) { return (single){.value = a}.bits; }
static float single32(uint32_t a) { return (single){.bits = a}.value; }
static float from32(uint64_t a) { return (single){.bits = wl_f64_narrow(a)}.value; }

double __adddf3(double a, double b) { return from64(wl_f64_add(bits64(a), bits64(b))); }
double __subdf3(double a, double b) { return from64(wl_f64_add(bits64(a), bits64(b) ^ WL_SIGN)); }
double __muldf3(double a, double b) { return from64(wl_f64_mul(bits64(a), bits64(b))); }
double __divdf3(double a, double b) { return from64(wl_f64_div(bits64(a), bits64(b))); }
float __addsf3(float a, float b) { return single32(wl_f32_add(raw32(a), raw32(b))); }
float __subsf3(float a, float b) { return single32(wl_f32_add(raw32(a), raw32(b) ^ WL_SIGN32)); }
float __mulsf3(float a, float b) { return single32(wl_f32_mul(raw32(a), raw32(b))); }
float __divsf3(float a, float b) { return single32(wl_f32_div(raw32(a), raw32(b))); }

/* libgcc: ge and gt answer -1 where numbers cannot be ordered, the others 1. */
static int below_of(int order) { return order == 2 ? 1 : order; }
static int above_of(int order) { return order == 2 ? -1 : order; }
int __eqdf2(double a, double b) { return below_of(wl_f64_order(bits64(a), bits64(b))); }
int __nedf2(double a, double b) { return below_of(wl_f64_order(bits64(a), bits64(b))); }
int __ltdf2(double a, double b) { return below_of(wl_f64_order(bits64(a), bits64(b))); }
int __ledf2(double a, double b) { return below_of(wl_f64_order(bits64(a), bits64(b))); }
int __gtdf2(double a, double b) { return above_of(wl_f64_order(bits64(a), bits64(b))); }
int __gedf2(double a, double b) { return above_of(wl_f64_order(bits64(a), bits64(b))); }
int __unorddf2(double a, double b) { return wl_f64_order(bits64(a), bits64(b)) == 2; }
int __eqsf2(float a, float b) { return below_of(wl_f32_order(raw32(a), raw32(b))); }
int __nesf2(float a, float b) { return below_of(wl_f32_order(raw32(a), raw32(b))); }
int __ltsf2(float a, float b) { return below_of(wl_f32_order(raw32(a), raw32(b))); }
int __lesf2(float a, float b) { return below_of(wl_f32_order(raw32(a), raw32(b))); }
int __gtsf2(float a, float b) { return above_of(wl_f32_order(raw32(a), raw32(b))); }
int __gesf2(float a, float b) { return above_of(wl_f32_order(raw32(a), raw32(b))); }
int __unordsf2(float a, float b) { return wl_f32_order(raw32(a), raw32(b)) == 2; }

static uint64_t size64(int64_t a) { return a < 0 ? -(uint64_t)a : (uint64_t)a; }
static uint64_t whole64(int64_t a) { return wl_f64_from(size64(a), a < 0 ? WL_SIGN : 0); }
static int64_t cut(uint64_t a) { uint64_t m = wl_f64_magnitude(a & ~WL_SIGN); return (int64_t)(a & WL_SIGN ? -m : m); }
double __floatsidf(int32_t a) { return from64(whole64(a)); }
double __floatunsidf(uint32_t a) { return from64(wl_f64_from(a, 0)); }
double __floatdidf(int64_t a) { return from64(whole64(a)); }
double __floatundidf(uint64_t a) { return from64(wl_f64_from(a, 0)); }
float __floatsisf(int32_t a) { return from32(whole64(a)); }
float __floatunsisf(uint32_t a) { return from32(wl_f64_from(a, 0)); }
float __floatdisf(int64_t a) { return from32(whole64(a)); }
float __floatundisf(uint64_t a) { return from32(wl_f64_from(a, 0)); }
int32_t __fixdfsi(double a) { return (int32_t)cut(bits64(a)); }
uint32_t __fixunsdfsi(double a) { return (uint32_t)cut(bits64(a)); }
int64_t __fixdfdi(double a) { return cut(bits64(a)); }
uint64_t __fixunsdfdi(double a) { return (uint64_t)cut(bits64(a)); }
int32_t __fixsfsi(float a) { return (int32_t)cut(bits32(a)); }
uint32_t __fixunssfsi(float a) { return (uint32_t)cut(bits32(a)); }
int64_t __fixsfdi(float a) { return cut(bits32(a)); }
uint64_t __fixunssfdi(float a) { return (uint64_t)cut(bits32(a)); }
double __extendsfdf2(float a) { return from64(bits32(a)); }
float __truncdfsf2(double a) { return from32(bits64(a)); }
