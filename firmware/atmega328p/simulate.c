/* Runs an image on simavr. Prints its output; per end mark: `#count CYCLES STACK`, STACK from the
   begin mark's stack pointer down to the lowest one in between. Argument 3 is the lowest address
   the stack may reach. */
#include <simavr/avr_ioport.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <simavr/sim_elf.h>
#include <stdio.h>
#include <stdlib.h>

enum { GPIOR0 = 0x3e, GPIOR1 = 0x4a };

static uint64_t began;
static unsigned top, lowest;
static int inside;

static unsigned stack_pointer(avr_t *avr) { return avr->data[R_SPL] | (unsigned)avr->data[R_SPH] << 8; }

static void on_mark(avr_t *avr, avr_io_addr_t address, uint8_t value, void *unused) {
    (void)unused;
    avr->data[address] = value;
    if (value == 1) {
        began = avr->cycle;
        top = lowest = stack_pointer(avr);
        inside = 1;
    } else if (inside) {
        printf("\n#count %llu %u\n", (unsigned long long)(avr->cycle - began), top - lowest);
        inside = 0;
    }
}

static void on_character(avr_t *avr, avr_io_addr_t address, uint8_t value, void *unused) {
    (void)unused;
    avr->data[address] = value;
    putchar(value);
}

int main(int argc, char **argv) {
    if (argc != 4) return 64;
    elf_firmware_t firmware = {{0}};
    if (elf_read_firmware(argv[2], &firmware)) return 65;
    avr_t *avr = avr_make_mcu_by_name(argv[1]);
    if (!avr) return 66;
    unsigned floor = (unsigned)strtoul(argv[3], NULL, 0);
    avr_init(avr);
    avr->log = 0;
    firmware.frequency = 16000000;
    avr_load_firmware(avr, &firmware);
    avr_register_io_write(avr, GPIOR0, on_mark, NULL);
    avr_register_io_write(avr, GPIOR1, on_character, NULL);
    int state;
    do {
        state = avr_run(avr);
        unsigned sp = stack_pointer(avr);
        if (inside && sp < lowest) lowest = sp;
        if (inside && sp < floor) {
            puts("!O");
            return 0;
        }
    } while (state != cpu_Done && state != cpu_Crashed);
    if (state == cpu_Crashed) puts("!F");
    return 0;
}
