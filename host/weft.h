/* Driver of a Weft core with a control port (control.port), for the processor beside it.
 *
 * One header and one source, C99, freestanding: no library, no allocation. The core and its memory are reached by four
 * callbacks, so it serves a bare-metal host, Linux (weft_linux.h) and a simulator. Offsets and fields of registers come
 * from weft_registers.h, which `weft emit` writes beside the Verilog.
 *
 *     struct weft core;
 *     struct weft_result result;
 *     if (weft_open(&core, &access, 0x80000000, 1 << 24)) ...
 *     weft_load(&core, elf, bytes);
 *     weft_write(&core, input, data, sizeof data);         a buffer of the program that is WEFT_HOST
 *     weft_start(&core, argument);
 *     weft_wait(&core, 1000000, &result);
 *     weft_read(&core, output, data, sizeof data);
 *
 * Every function but weft_console returns 0, or one of the errors below, and then has changed nothing of the core
 * unless it says so. The driver is for one thread of the host. */

#ifndef WEFT_HOST_H
#define WEFT_HOST_H

#include <stdint.h>

enum weft_error {
    WEFT_OK,
    WEFT_NO_CORE,      /* the register `id` is not that of a Weft core */
    WEFT_OTHER_VERSION, /* its registers are of another major version */
    WEFT_NO_ELF,       /* no 32-bit little-endian ELF executable, or cut short */
    WEFT_OTHER_MACHINE, /* an executable of another machine than RISC-V */
    WEFT_OUTSIDE_RAM,  /* a segment or an access is not in the RAM that weft_open was told, nor in the scratchpad */
    WEFT_BAD_ENTRY,    /* the entry is no multiple of 4 in RAM */
    WEFT_BUSY,         /* the core is running or stopping */
    WEFT_NOT_LOADED,   /* no program is loaded */
    WEFT_CLEARED,      /* a write to .bss, which the program clears when it starts: use WEFT_HOST (weft.h) */
    WEFT_TIMEOUT,      /* the run has not ended, or the stop not; weft_wait fills in what is known */
    WEFT_NOT_TAKEN,    /* the core refused a start */
    WEFT_ACCESS,       /* a callback for memory reported an error */
    WEFT_NO_TABLE,     /* the core reads a reconvergence table, and the executable has none: weft image --format elf */
    WEFT_NO_PATHS,     /* the core does not show its paths (control.paths), or has no such warp or slot */
    WEFT_NO_INTERRUPT  /* no device of an interrupt is open, or it fails (weft_linux.h) */
};

/* How the host reaches the core. Registers are words at offsets from the base of the control port. Memory is at the
 * addresses of the program; these two return 0, or not 0 for an error, and must reach memory past the caches of the host. */
struct weft_access {
    void *context;
    uint32_t (*read_register)(void *context, uint32_t offset);
    void (*write_register)(void *context, uint32_t offset, uint32_t value);
    int (*read_memory)(void *context, uint32_t address, void *data, uint32_t bytes);
    int (*write_memory)(void *context, uint32_t address, const void *data, uint32_t bytes);
};

struct weft {
    struct weft_access access;
    uint32_t ram, ram_bytes;      /* where programs may be */
    uint32_t warps, threads;      /* size of the core, from its registers */
    char unit[17];                /* name of its divergence unit */
    uint32_t entry;               /* of the program; no program: 1 */
    uint32_t bss, bss_bytes;      /* what the program clears */
    uint32_t scratchpad_bytes;    /* of the scratchpad; 0 without one */
    int reads_table;              /* its divergence unit reads the reconvergence table */
    uint32_t table, table_first, table_bytes; /* where the program has it, its first pc, and the code that it covers */
};

/* Cycles in which nothing issued, by cause; all 0 unless the core counts them (control.counters). */
struct weft_stalls {
    uint64_t write_port, place, result, spacing, fetch, parked; /* as the registers stalls_* */
};

struct weft_result {
    int running, stopping, done, fault, bus_error, exit_valid; /* as in the register `status` */
    uint32_t exit_code, exit_hart;
    uint32_t fault_cause, fault_pc, fault_warp, fault_lane, fault_address;
    uint32_t bus_error_address;
    uint64_t cycles, instructions, thread_instructions;
    struct weft_stalls stalls;
};

/* Finds the core. `ram` and `ram_bytes`: the memory that programs may use, memory.ram_bytes of its configuration. */
int weft_open(struct weft *core, const struct weft_access *access, uint32_t ram, uint32_t ram_bytes);

/* Writes the segments of an executable into memory, and clears the rest of each. After an error in a segment those before
 * it are written. The next run begins at its entry. */
int weft_load(struct weft *core, const void *elf, uint32_t bytes);

/* The address of a symbol of an executable, for buffers of the host. WEFT_NO_ELF if there is none. */
int weft_symbol(const void *elf, uint32_t bytes, const char *name, uint32_t *address);

/* The name of the function or object that contains an address, such as that of a fault, and the offset in it; 0 if none
 * does. The name is in `elf`. */
const char *weft_symbol_at(const void *elf, uint32_t bytes, uint32_t address, uint32_t *offset);

/* RAM at any time, or the scratchpad, at 0x20000000, of a stopped core: WEFT_BUSY while it runs. */
int weft_read(struct weft *core, uint32_t address, void *data, uint32_t bytes);
int weft_write(struct weft *core, uint32_t address, const void *data, uint32_t bytes);

/* Begins a run: all threads start at the entry, and read `argument` with weft_argument(). */
int weft_start(struct weft *core, uint32_t argument);

/* Reads the status up to `polls` times, until the run has ended and nothing of it is on the bus. Fills in the result in
 * every case; after WEFT_TIMEOUT it is what is known. */
int weft_wait(struct weft *core, uint32_t polls, struct weft_result *result);

/* Where a warp of a stopped core was: its active path; slot 1 is the second path of a core that runs two. */
struct weft_path {
    int valid, parked; /* there is a path; it waits at the barrier */
    uint32_t pc;       /* of its next instruction */
    uint64_t mask;     /* its lanes */
};

/* Reads it. WEFT_NO_PATHS if the core does not show its paths (control.paths), or has no such warp or slot. */
int weft_path(struct weft *core, uint32_t warp, uint32_t slot, struct weft_path *path);

/* Ends the run, and waits as weft_wait does. WEFT_OK also if none was going on. */
int weft_stop(struct weft *core, uint32_t polls);

/* The interrupt follows the end of a run. Enabling clears an earlier one. */
void weft_interrupt(struct weft *core, int enable);

/* Takes up to `bytes` bytes of the console; returns how many there were. A core waits while its console is full. */
uint32_t weft_console(struct weft *core, char *text, uint32_t bytes);

/* A sentence on an error. */
const char *weft_error_text(int error);

#endif
