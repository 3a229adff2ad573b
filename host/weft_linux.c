/* See weft_linux.h. */

#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include "weft_linux.h"

#include "weft_registers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

static uint32_t read_register(void *context, uint32_t offset)
{
    const struct weft_linux *maps = context;
    return maps->registers[offset / 4];
}

static void write_register(void *context, uint32_t offset, uint32_t value)
{
    const struct weft_linux *maps = context;
    __sync_synchronize(); /* what was written to memory before a start is there */
    maps->registers[offset / 4] = value;
}

static int read_memory(void *context, uint32_t address, void *data, uint32_t bytes)
{
    const struct weft_linux *maps = context;
    uint8_t *to = data;
    for (uint32_t at = 0; at < bytes; at++)
        to[at] = maps->memory[address - maps->ram + at];
    return 0;
}

static int write_memory(void *context, uint32_t address, const void *data, uint32_t bytes)
{
    const struct weft_linux *maps = context;
    const uint8_t *from = data;
    for (uint32_t at = 0; at < bytes; at++)
        maps->memory[address - maps->ram + at] = from[at];
    return 0;
}

static void *map(const struct weft_mapping *where, size_t bytes)
{
    int device = open(where->device, O_RDWR | O_SYNC), error;
    void *mapped;
    if (device < 0)
        return MAP_FAILED;
    mapped = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)where->offset);
    error = errno;
    close(device);
    errno = error;
    return mapped;
}

/* The registers that the core has, up to its paths or its scratchpad, in whole pages. */
static uint32_t register_bytes(const volatile uint32_t *registers)
{
    uint32_t shape = registers[WEFT_SHAPE / 4], scratchpad = registers[WEFT_SCRATCHPAD_BYTES / 4], end = PAGE;
    if (registers[WEFT_ID / 4] != WEFT_ID_VALUE)
        return PAGE;
    if (shape & WEFT_SHAPE_PATHS_MASK)
        end = WEFT_PATHS + WEFT_PATHS_WARP * ((shape & WEFT_SHAPE_WARPS_MASK) >> WEFT_SHAPE_WARPS_BIT);
    if (scratchpad)
        end = WEFT_SCRATCHPAD + scratchpad;
    return (end + PAGE - 1) / PAGE * PAGE;
}

int weft_linux_open(struct weft_linux *maps, struct weft_access *access, const struct weft_mapping *registers,
                    const struct weft_mapping *memory, uint32_t ram, uint32_t ram_bytes)
{
    void *mapped = map(registers, PAGE);
    int error;
    if (mapped == MAP_FAILED)
        return -1;
    maps->register_bytes = register_bytes(mapped);
    munmap(mapped, PAGE);
    mapped = map(registers, maps->register_bytes);
    if (mapped == MAP_FAILED)
        return -1;
    maps->registers = mapped;
    mapped = map(memory, ram_bytes);
    if (mapped == MAP_FAILED) {
        error = errno;
        munmap((void *)maps->registers, maps->register_bytes);
        errno = error;
        return -1;
    }
    maps->memory = mapped;
    maps->ram = ram;
    maps->ram_bytes = ram_bytes;
    maps->interrupt = -1;
    *access = (struct weft_access){maps, read_register, write_register, read_memory, write_memory};
    return 0;
}

int weft_linux_interrupt(struct weft_linux *maps, const char *device)
{
    if (maps->interrupt >= 0)
        close(maps->interrupt);
    maps->interrupt = open(device, O_RDWR);
    return maps->interrupt < 0 ? -1 : 0;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Waits until the device has an interrupt, `until` a time or with -1 for ever. Returns 1, or 0 without one, or -1. */
static int sleep_until_interrupt(int device, int64_t until)
{
    struct pollfd waits = {device, POLLIN, 0};
    uint32_t count;
    for (;;) {
        int64_t left = until < 0 ? -1 : until - now();
        int found = poll(&waits, 1, until < 0 ? -1 : left < 0 ? 0 : (int)left);
        if (found >= 0)
            return found == 0 ? 0 : read(device, &count, sizeof count) == sizeof count ? 1 : -1;
        if (errno != EINTR)
            return -1;
    }
}

int weft_linux_wait(struct weft_linux *maps, struct weft *core, int milliseconds, struct weft_result *result)
{
    const uint32_t unmask = 1;
    int64_t until = milliseconds < 0 ? -1 : now() + milliseconds;
    int error = WEFT_TIMEOUT, found = 1;
    if (maps->interrupt < 0)
        return WEFT_NO_INTERRUPT;
    weft_interrupt(core, 1);
    /* The kernel masks the interrupt when it comes. A run may end before the first time that it is unmasked. */
    while (found == 1 && error == WEFT_TIMEOUT) {
        if (write(maps->interrupt, &unmask, sizeof unmask) != sizeof unmask)
            found = -1;
        error = weft_wait(core, 1, result);
        if (error == WEFT_TIMEOUT && found == 1)
            found = sleep_until_interrupt(maps->interrupt, until);
    }
    weft_interrupt(core, 0);
    return found < 0 && error == WEFT_TIMEOUT ? WEFT_NO_INTERRUPT : error;
}

void weft_linux_close(struct weft_linux *maps)
{
    munmap((void *)maps->registers, maps->register_bytes);
    munmap((void *)maps->memory, maps->ram_bytes);
    if (maps->interrupt >= 0)
        close(maps->interrupt);
}
