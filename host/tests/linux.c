/* weft_linux.c with files as the devices of registers and memory, and a terminal as that of the interrupt. A child plays
 * the core. Usage: linux DIR. */

#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700

#include "weft_linux.h"
#include "weft_registers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { RAM_BYTES = 65536, SCRATCHPAD_BYTES = 1024, REGISTERS = WEFT_SCRATCHPAD + SCRATCHPAD_BYTES };

#define CHECK(what) ((what) ? (void)0 : (void)(printf("line %d: %s\n", __LINE__, #what), exit(1)))

static volatile uint32_t *registers;

static char *file(const char *folder, const char *name, off_t bytes)
{
    char *path = malloc(4096);
    int made;
    snprintf(path, 4096, "%s/%s", folder, name);
    made = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(made >= 0 && ftruncate(made, bytes) == 0);
    close(made);
    return path;
}

/* Waits for `unmasked` times that the driver unmasks the interrupt. It comes each time, the run has ended at the last. */
static pid_t core(int terminal, int unmasked)
{
    pid_t child = fork();
    if (child)
        return child;
    for (uint32_t count = 1; unmasked--; count++) {
        uint32_t unmask = 0;
        if (read(terminal, &unmask, 4) != 4 || unmask != 1 || !(registers[WEFT_INTERRUPT / 4] & WEFT_INTERRUPT_ENABLE_MASK))
            _exit(1);
        usleep(20000);
        if (!unmasked)
            registers[WEFT_STATUS / 4] = WEFT_STATUS_DONE_MASK;
        if (write(terminal, &count, 4) != 4)
            _exit(1);
    }
    _exit(0);
}

int main(int count, char **arguments)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), status, device;
    struct weft_mapping of_registers, of_memory;
    struct weft_access access;
    struct weft_result result;
    struct weft_linux maps;
    struct termios raw;
    struct weft core_of;
    struct weft_path path;
    uint32_t word = 0x12345678, unmask;

    CHECK(count == 2);
    of_registers = (struct weft_mapping){file(arguments[1], "registers", REGISTERS), 0};
    of_memory = (struct weft_mapping){file(arguments[1], "memory", RAM_BYTES), 0};
    device = open(of_registers.device, O_RDWR);
    registers = mmap(0, REGISTERS, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    CHECK(registers != MAP_FAILED && terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    tcgetattr(terminal, &raw);
    cfmakeraw(&raw);
    tcsetattr(terminal, TCSANOW, &raw);

    registers[WEFT_ID / 4] = WEFT_ID_VALUE;
    registers[WEFT_VERSION / 4] = WEFT_VERSION_VALUE;
    registers[WEFT_SHAPE / 4] = 64 << WEFT_SHAPE_WARPS_BIT | 4 << WEFT_SHAPE_THREADS_BIT | WEFT_SHAPE_PATHS_MASK;
    registers[WEFT_SCRATCHPAD_BYTES / 4] = SCRATCHPAD_BYTES;
    registers[(WEFT_PATHS + 63 * WEFT_PATHS_WARP + WEFT_PATH_PC) / 4] = 0x80000040;
    CHECK(weft_linux_open(&maps, &access, &of_registers, &of_memory, 0x80000000, RAM_BYTES) == 0);
    CHECK(weft_open(&core_of, &access, 0x80000000, RAM_BYTES) == WEFT_OK);

    /* All that the core has is mapped: memory, the scratchpad and the paths of the last warp. */
    CHECK(weft_write(&core_of, 0x80000000 + RAM_BYTES - 4, &word, 4) == WEFT_OK);
    CHECK(weft_write(&core_of, WEFT_SCRATCHPAD_BASE + SCRATCHPAD_BYTES - 4, &word, 4) == WEFT_OK);
    CHECK(registers[(REGISTERS - 4) / 4] == word);
    CHECK(weft_path(&core_of, 63, 0, &path) == WEFT_OK && path.pc == 0x80000040);

    registers[WEFT_STATUS / 4] = WEFT_STATUS_RUNNING_MASK;
    CHECK(weft_linux_wait(&maps, &core_of, 10, &result) == WEFT_NO_INTERRUPT);
    CHECK(weft_linux_interrupt(&maps, "/no/such/device") == -1);
    CHECK(weft_linux_interrupt(&maps, ptsname(terminal)) == 0);
    CHECK(weft_linux_wait(&maps, &core_of, 50, &result) == WEFT_TIMEOUT && result.running);
    CHECK(!(registers[WEFT_INTERRUPT / 4] & WEFT_INTERRUPT_ENABLE_MASK));
    CHECK(read(terminal, &unmask, 4) == 4);

    /* The first interrupt is one of another device on the line. */
    for (int unmasked = 1; unmasked <= 2; unmasked++) {
        pid_t child = core(terminal, unmasked);
        registers[WEFT_STATUS / 4] = WEFT_STATUS_RUNNING_MASK;
        CHECK(weft_linux_wait(&maps, &core_of, unmasked == 1 ? -1 : 10000, &result) == WEFT_OK && result.done);
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        /* After the interrupt of its end the driver has unmasked it once more. */
        CHECK(read(terminal, &unmask, 4) == 4);
    }
    /* A run that has ended before. */
    CHECK(weft_linux_wait(&maps, &core_of, -1, &result) == WEFT_OK && result.done);
    weft_linux_close(&maps);
    puts("linux: right");
    return 0;
}
