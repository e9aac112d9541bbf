/* A write to GPIOR0 is a mark (1 begin, 2 end), a write to GPIOR1 a character. avr-libc brings
 * start-up and vectors. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "wirelab.h"

void wl_begin(void) { GPIOR0 = 1; }
void wl_end(void) { GPIOR0 = 2; }
void wl_put(char c) { GPIOR1 = (uint8_t)c; }

void wl_exit(void) {
    cli();
    sleep_enable();
    for (;;) sleep_cpu();
}

ISR(BADISR_vect) { wl_fault(); }

int main(void) {
    wl_main();
    return 0;
}
