/* See weft_linux.h. */

#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include "weft_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REGISTER_BYTES = 4096 };

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

int weft_linux_open(struct weft_linux *maps, struct weft_access *access, const struct weft_mapping *registers,
                    const struct weft_mapping *memory, uint32_t ram, uint32_t ram_bytes)
{
    void *mapped = map(registers, REGISTER_BYTES);
    if (mapped == MAP_FAILED)
        return -1;
    maps->registers = mapped;
    mapped = map(memory, ram_bytes);
    if (mapped == MAP_FAILED) {
        int error = errno;
        munmap((void *)maps->registers, REGISTER_BYTES);
        errno = error;
        return -1;
    }
    maps->memory = mapped;
    maps->ram = ram;
    maps->ram_bytes = ram_bytes;
    *access = (struct weft_access){maps, read_register, write_register, read_memory, write_memory};
    return 0;
}

void weft_linux_close(struct weft_linux *maps)
{
    munmap((void *)maps->registers, REGISTER_BYTES);
    munmap((void *)maps->memory, maps->ram_bytes);
}
