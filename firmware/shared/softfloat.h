/* IEEE 754 arithmetic on bit patterns for chips without it: round to nearest even; subnormal
 * numbers are zero. */
#pragma once
#include <stdint.h>

uint64_t wl_f64_add(uint64_t a, uint64_t b);
uint64_t wl_f64_mul(uint64_t a, uint64_t b);
uint64_t wl_f64_div(uint64_t a, uint64_t b);
int wl_f64_order(uint64_t a, uint64_t b); /* -1, 0, 1; 2 where they cannot be ordered */
uint64_t wl_f64_from(uint64_t magnitude, uint64_t sign);
uint64_t wl_f64_magnitude(uint64_t a); /* |a| without its fraction; saturates */
uint64_t wl_f64_widen(uint32_t a);
uint32_t wl_f64_narrow(uint64_t a);

uint32_t wl_f32_add(uint32_t a, uint32_t b);
uint32_t wl_f32_mul(uint32_t a, uint32_t b);
uint32_t wl_f32_div(uint32_t a, uint32_t b);
int wl_f32_order(uint32_t a, uint32_t b);

#define WL_SIGN32 0x80000000u
#define WL_SIGN 0x8000000000000000ull
