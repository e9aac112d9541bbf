/* The firmware contract: see firmware/README.md. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a codec gives. */
unsigned wl_serialize(void);           /* message -> wl_buffer; the length, 0 for failure */
bool wl_deserialize(unsigned length);  /* wl_buffer -> message */
extern uint8_t wl_buffer[];
unsigned wl_heap_peak(void);           /* most bytes ever taken from the codec's own arena; 0 without one */

/* What the test part gives: the messages under test. */
extern const uint8_t wl_messages;
void wl_load(uint8_t index);           /* message `index` from flash into the message object */
void wl_clear(void);                   /* overwrite the message object */
uint32_t wl_fold(void);                /* a checksum of every value but floats in the message object */
uint32_t wl_fold_floats(void);         /* that of the floats, as of the last wl_fold */

/* What a device gives. */
void wl_begin(void);                   /* start mark */
void wl_end(void);                     /* end mark */
void wl_put(char c);                   /* one character of the result */
void wl_exit(void);                    /* end of the run; does not return */

void wl_main(void);                    /* the run; called by the device's start-up code */
void wl_fault(void);                   /* called by fault handlers; says so and ends */

#ifdef __cplusplus
}
#endif
