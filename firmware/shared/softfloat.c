#include "softfloat.h"

#define FRACTION 0x000fffffffffffffull
#define HIDDEN 0x0010000000000000ull
#define INFINITE 0x7ff0000000000000ull
#define NOT_A_NUMBER 0x7ff8000000000000ull

static int exponent_of(uint64_t a) { return (int)(a >> 52) & 0x7ff; }
static uint64_t fraction_of(uint64_t a) { return (a & FRACTION) | HIDDEN; }
static int is_nan(uint64_t a) { return (a & ~WL_SIGN) > INFINITE; }

/* `fraction` has its leading bit at 62 or above once shifted; its lowest bit is sticky. Value:
 * fraction * 2^(exponent - 1085). */
static uint64_t pack(uint64_t sign, int exponent, uint64_t fraction) {
    if (!fraction) return sign;
    while (!(fraction >> 62)) {
        fraction <<= 1;
        exponent--;
    }
    if (fraction >> 63) {
        fraction = fraction >> 1 | (fraction & 1);
        exponent++;
    }
    uint16_t rest = (uint16_t)fraction & 0x3ff;
    fraction >>= 10;
    fraction += rest > 0x200 || (rest == 0x200 && (fraction & 1));
    if (fraction >> 53) {
        fraction >>= 1;
        exponent++;
    }
    if (exponent >= 0x7ff) return sign | INFINITE;
    return exponent <= 0 ? sign : sign | (uint64_t)exponent << 52 | (fraction & FRACTION);
}

uint64_t wl_f64_add(uint64_t a, uint64_t b) {
    if (is_nan(a) || is_nan(b)) return NOT_A_NUMBER;
    if ((a & ~WL_SIGN) < (b & ~WL_SIGN)) {
        uint64_t swap = a;
        a = b;
        b = swap;
    }
    int high = exponent_of(a), low = exponent_of(b);
    if (high == 0x7ff) return low == 0x7ff && (a ^ b) ? NOT_A_NUMBER : a;
    if (!low) return high ? a : a & b;
    uint64_t big = fraction_of(a) << 9, small = fraction_of(b) << 9;
    int shift = high - low;
    if (shift > 62) small = 1;
    else if (shift) small = small >> shift | ((small << (64 - shift)) != 0);
    if (!((a ^ b) & WL_SIGN)) return pack(a & WL_SIGN, high + 1, big + small);
    return big == small ? 0 : pack(a & WL_SIGN, high + 1, big - small);
}

uint64_t wl_f64_mul(uint64_t a, uint64_t b) {
    uint64_t sign = (a ^ b) & WL_SIGN;
    int x = exponent_of(a), y = exponent_of(b);
    if (is_nan(a) || is_nan(b)) return NOT_A_NUMBER;
    if (x == 0x7ff || y == 0x7ff) return x && y ? sign | INFINITE : NOT_A_NUMBER;
    if (!x || !y) return sign;
    uint64_t m = fraction_of(a) << 11, n = fraction_of(b) << 11;
    uint32_t mh = (uint32_t)(m >> 32), ml = (uint32_t)m, nh = (uint32_t)(n >> 32), nl = (uint32_t)n;
    uint64_t middle = (uint64_t)mh * nl, other = (uint64_t)ml * nh, least = (uint64_t)ml * nl;
    uint64_t carry = (uint32_t)middle + (uint64_t)(uint32_t)other + (least >> 32);
    uint64_t top = (uint64_t)mh * nh + (middle >> 32) + (other >> 32) + (carry >> 32);
    int sticky = ((uint32_t)carry | (uint32_t)least) != 0;
    return pack(sign, x + y - 1023 + 1, (top >> 1) | (top & 1) | (uint64_t)sticky);
}

uint64_t wl_f64_div(uint64_t a, uint64_t b) {
    uint64_t sign = (a ^ b) & WL_SIGN;
    int x = exponent_of(a), y = exponent_of(b);
    if (is_nan(a) || is_nan(b) || (x == 0x7ff && y == 0x7ff) || (!x && !y)) return NOT_A_NUMBER;
    if (x == 0x7ff || !y) return sign | INFINITE;
    if (!x || y == 0x7ff) return sign;
    uint64_t rest = fraction_of(a), divisor = fraction_of(b), quotient = 0;
    for (int bit = 0; bit < 63; bit++) {
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
        rest <<= 1;
    }
    return pack(sign, x - y + 1023, quotient | (rest != 0));
}

int wl_f64_order(uint64_t a, uint64_t b) {
    if (is_nan(a) || is_nan(b)) return 2;
    if (!exponent_of(a)) a = 0;
    if (!exponent_of(b)) b = 0;
    if (a == b) return 0;
    if ((a ^ b) & WL_SIGN) return a & WL_SIGN ? -1 : 1;
    return (a < b) ^ ((a & WL_SIGN) != 0) ? -1 : 1;
}

uint64_t wl_f64_from(uint64_t magnitude, uint64_t sign) {
    int exponent = 1085;
    if (magnitude >> 63) {
        magnitude = magnitude >> 1 | (magnitude & 1);
        exponent++;
    }
    return pack(sign, exponent, magnitude);
}

uint64_t wl_f64_magnitude(uint64_t a) {
    int shift = exponent_of(a) - 1075;
    if (shift < -52) return 0;
    if (shift > 11) return ~0ull;
    return shift < 0 ? fraction_of(a) >> -shift : fraction_of(a) << shift;
}

uint64_t wl_f64_widen(uint32_t a) {
    uint64_t sign = (uint64_t)(a >> 31) << 63;
    uint16_t exponent = a >> 23 & 0xff;
    if (!exponent) return sign;
    uint64_t high = exponent == 0xff ? 0x7ff : exponent + 896u;
    return sign | high << 52 | (uint64_t)(a & 0x7fffffu) << 29;
}

uint32_t wl_f64_narrow(uint64_t a) {
    uint32_t sign = (uint32_t)(a >> 63) << 31;
    if (is_nan(a)) return sign | 0x7fc00000u;
    int exponent = exponent_of(a) - 896;
    if (exponent <= 0) return sign;
    if (exponent >= 255) return sign | 0x7f800000u;
    uint32_t fraction = (uint32_t)((a & FRACTION) >> 29), rest = (uint32_t)a & 0x1fffffffu;
    uint32_t bits = (uint32_t)exponent << 23 | fraction;
    bits += rest > 0x10000000u || (rest == 0x10000000u && (fraction & 1));
    return sign | bits;
}

/* The same in 32 bits: `fraction` has its leading bit at 30 or above once shifted. */
#define INFINITE32 0x7f800000u
#define NOT_A_NUMBER32 0x7fc00000u

static int exponent32(uint32_t a) { return (int)(a >> 23) & 0xff; }
static uint32_t fraction32(uint32_t a) { return (a & 0x7fffffu) | 0x800000u; }
static int is_nan32(uint32_t a) { return (a & ~WL_SIGN32) > INFINITE32; }

static uint32_t pack32(uint32_t sign, int exponent, uint32_t fraction) {
    if (!fraction) return sign;
    while (!(fraction >> 30)) {
        fraction <<= 1;
        exponent--;
    }
    if (fraction >> 31) {
        fraction = fraction >> 1 | (fraction & 1);
        exponent++;
    }
    uint8_t rest = (uint8_t)fraction & 0x7f;
    fraction >>= 7;
    fraction += rest > 0x40 || (rest == 0x40 && (fraction & 1));
    if (fraction >> 24) {
        fraction >>= 1;
        exponent++;
    }
    if (exponent >= 0xff) return sign | INFINITE32;
    return exponent <= 0 ? sign : sign | (uint32_t)exponent << 23 | (fraction & 0x7fffffu);
}

uint32_t wl_f32_add(uint32_t a, uint32_t b) {
    if (is_nan32(a) || is_nan32(b)) return NOT_A_NUMBER32;
    if ((a & ~WL_SIGN32) < (b & ~WL_SIGN32)) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    int high = exponent32(a), low = exponent32(b);
    if (high == 0xff) return low == 0xff && (a ^ b) ? NOT_A_NUMBER32 : a;
    if (!low) return high ? a : a & b;
    uint32_t big = fraction32(a) << 6, small = fraction32(b) << 6;
    int shift = high - low;
    if (shift > 30) small = 1;
    else if (shift) small = small >> shift | ((small << (32 - shift)) != 0);
    if (!((a ^ b) & WL_SIGN32)) return pack32(a & WL_SIGN32, high + 1, big + small);
    return big == small ? 0 : pack32(a & WL_SIGN32, high + 1, big - small);
}

uint32_t wl_f32_mul(uint32_t a, uint32_t b) {
    uint32_t sign = (a ^ b) & WL_SIGN32;
    int x = exponent32(a), y = exponent32(b);
    if (is_nan32(a) || is_nan32(b)) return NOT_A_NUMBER32;
    if (x == 0xff || y == 0xff) return x && y ? sign | INFINITE32 : NOT_A_NUMBER32;
    if (!x || !y) return sign;
    uint64_t product = (uint64_t)(fraction32(a) << 8) * (fraction32(b) << 8);
    uint32_t top = (uint32_t)(product >> 32);
    return pack32(sign, x + y - 127 + 1, top >> 1 | (top & 1) | ((uint32_t)product != 0));
}

uint32_t wl_f32_div(uint32_t a, uint32_t b) {
    uint32_t sign = (a ^ b) & WL_SIGN32;
    int x = exponent32(a), y = exponent32(b);
    if (is_nan32(a) || is_nan32(b) || (x == 0xff && y == 0xff) || (!x && !y)) return NOT_A_NUMBER32;
    if (x == 0xff || !y) return sign | INFINITE32;
    if (!x || y == 0xff) return sign;
    uint32_t rest = fraction32(a), divisor = fraction32(b), quotient = 0;
    for (uint8_t bit = 0; bit < 31; bit++) {
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
        rest <<= 1;
    }
    return pack32(sign, x - y + 127, quotient | (rest != 0));
}

int wl_f32_order(uint32_t a, uint32_t b) {
    if (is_nan32(a) || is_nan32(b)) return 2;
    if (!exponent32(a)) a = 0;
    if (!exponent32(b)) b = 0;
    if (a == b) return 0;
    if ((a ^ b) & WL_SIGN32) return a & WL_SIGN32 ? -1 : 1;
    return (a < b) ^ ((a & WL_SIGN32) != 0) ? -1 : 1;
}
