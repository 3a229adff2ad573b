/* Access to a Weft core from Linux: the registers and the memory of the core are mapped from /dev/mem or a UIO device,
 * and the interrupt is one of a UIO device. */

#ifndef WEFT_LINUX_H
#define WEFT_LINUX_H

#include "weft.h"

struct weft_linux {
    volatile uint32_t *registers;
    volatile uint8_t *memory;
    uint32_t register_bytes, ram, ram_bytes;
    int interrupt; /* the open UIO device, or -1 */
};

/* Where to map: a device, and an offset in it. With /dev/mem the offset is the physical address, with UIO it is the
 * number of the mapping times the size of a page. */
struct weft_mapping {
    const char *device;
    uint64_t offset;
};

/* Maps the registers that the core has, from 4 KiB up, and `ram_bytes` of memory, which the core sees at address `ram`.
 * Returns 0, or -1 with errno. The mapping of /dev/mem is past the caches if the kernel does not use the memory; reserve it in the device tree. */
int weft_linux_open(struct weft_linux *maps, struct weft_access *access, const struct weft_mapping *registers,
                    const struct weft_mapping *memory, uint32_t ram, uint32_t ram_bytes);

/* Opens a UIO device, such as /dev/uio0, whose interrupt is that of the core. Returns 0, or -1 with errno. */
int weft_linux_interrupt(struct weft_linux *maps, const char *device);

/* Does as weft_wait, but sleeps until the interrupt, for at most so many milliseconds, or with -1 for ever. Returns
 * WEFT_NO_INTERRUPT if no UIO device is open, or if it fails. The interrupt is disabled afterwards. A core waits while its
 * console is full: for a program that prints, give a time and take its text with weft_console in between. */
int weft_linux_wait(struct weft_linux *maps, struct weft *core, int milliseconds, struct weft_result *result);

void weft_linux_close(struct weft_linux *maps);

#endif
