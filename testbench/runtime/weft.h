/* weft.h: the services of a Weft core for a kernel.
 *
 * A kernel is an ordinary C program. Every thread of the core runs
 *
 *     int main(unsigned hart);
 *
 * from its start, on its own stack, and the value it returns is the thread's exit code: 0 = well.
 * Threads of one warp that are at the same instruction execute it together; the hardware keeps
 * track of those that are not. There is no libc. Variables without a value are zero. */

#ifndef WEFT_H
#define WEFT_H

#include <stdint.h>

/* Control and status registers of the machine. */
#define WEFT_CSR_EXIT 0x800        /* write: the thread ends, with this exit code */
#define WEFT_CSR_BARRIER 0x801     /* write: the thread waits for all living threads */
#define WEFT_CSR_BARRIER_LEVEL 0x802 /* k: a barrier of this warp waits for its group of 2^k warps */
#define WEFT_CSR_CALL_DEPTH 0x803  /* of the path; only csrrwi writes it */
#define WEFT_CSR_REGION 0x804      /* the region of the warp, 0 to 31 */
#define WEFT_CSR_REFRESH 0x805     /* empties the data cache; only on a core with dcache.bytes */
#define WEFT_CSR_THREADS 0xcc0     /* threads in a warp, T */
#define WEFT_CSR_WARPS 0xcc1       /* warps in the core, W */
#define WEFT_CSR_MASK 0xcc2        /* lanes 0 to 31 of the path that executes the read */
#define WEFT_CSR_STACK 0xcc3       /* the address just past this thread's stack */
#define WEFT_CSR_MASK_HIGH 0xcc4   /* lanes 32 to 63 of the path that executes the read */
#define WEFT_CSR_THREAD_INSTRUCTIONS 0xcc5
#define WEFT_CSR_PARTS 0xcc6
#define WEFT_CSR_ARGUMENT 0xcc7    /* of the run; only on a core with control.port */

/* A byte stored here is printed. */
#define WEFT_CONSOLE 0x10000000

#define WEFT_STRING(text) #text
#define WEFT_EXPANDED(text) WEFT_STRING(text)

/* Reads a register whose value never changes, so that the compiler may keep it. */
#define WEFT_READ_CONSTANT(csr)                                              \
    ({                                                                       \
        uint32_t value_;                                                     \
        __asm__("csrr %0, " WEFT_EXPANDED(csr) : "=r"(value_));              \
        value_;                                                              \
    })

/* Reads a register each time. */
#define WEFT_READ(csr)                                                       \
    ({                                                                       \
        uint32_t value_;                                                     \
        __asm__ volatile("csrr %0, " WEFT_EXPANDED(csr) : "=r"(value_));     \
        value_;                                                              \
    })

/* ---- Identity ------------------------------------------------------------------------------ */

/* This thread's number in the core: warp * T + lane. */
static inline uint32_t weft_hart(void) { return WEFT_READ_CONSTANT(mhartid); }

/* Threads in a warp, T: a power of two. */
static inline uint32_t weft_threads_per_warp(void) { return WEFT_READ_CONSTANT(WEFT_CSR_THREADS); }

/* Warps in the core, W. */
static inline uint32_t weft_warps(void) { return WEFT_READ_CONSTANT(WEFT_CSR_WARPS); }

/* This thread's lane: 0 to T - 1. */
static inline uint32_t weft_lane(void) { return weft_hart() & (weft_threads_per_warp() - 1); }

/* This thread's warp: 0 to W - 1. (Shifts, because a core without M has no division.) */
static inline uint32_t weft_warp(void)
{
    uint32_t warp = weft_hart();
    for (uint32_t threads = weft_threads_per_warp(); threads > 1; threads >>= 1)
        warp >>= 1;
    return warp;
}

/* Threads in the core, W * T. */
static inline uint32_t weft_threads(void)
{
    uint32_t total = weft_warps();
    for (uint32_t threads = weft_threads_per_warp(); threads > 1; threads >>= 1)
        total <<= 1;
    return total;
}

/* The address just past this thread's stack. */
static inline uint32_t weft_stack_end(void) { return WEFT_READ_CONSTANT(WEFT_CSR_STACK); }

/* The argument of the run, which the host has written. */
static inline uint32_t weft_argument(void) { return WEFT_READ_CONSTANT(WEFT_CSR_ARGUMENT); }

/* ---- Divergence ---------------------------------------------------------------------------- */

/* Waits until every thread of the core that has not ended waits here or at another barrier.
 * Stores before it are visible after it. */
static inline void weft_barrier(void)
{
    __asm__ volatile("csrw " WEFT_EXPANDED(WEFT_CSR_BARRIER) ", zero" ::: "memory");
}

/* From now on the barriers of this warp wait for the 2^level warps of its group alone, which must all
 * write the same level. A level of log2 W or more means all warps, as at the start. No thread of the
 * warp may be waiting. */
static inline void weft_barrier_level(uint32_t level)
{
    __asm__ volatile("csrw " WEFT_EXPANDED(WEFT_CSR_BARRIER_LEVEL) ", %0" ::"r"(level) : "memory");
}

/* Ends this thread, like returning `code` from main. */
static inline __attribute__((noreturn)) void weft_exit(uint32_t code)
{
    __asm__ volatile("csrw " WEFT_EXPANDED(WEFT_CSR_EXIT) ", %0" ::"r"(code) : "memory");
    __builtin_unreachable();
}

/* The lanes that execute this read together with the caller: bit i = lane i. More than 32 lanes
 * need two reads, between which paths may merge. */
static inline uint64_t weft_active_mask(void)
{
    uint32_t low = WEFT_READ(WEFT_CSR_MASK);
    uint32_t high = WEFT_READ(WEFT_CSR_MASK_HIGH);
    return (uint64_t)high << 32 | low;
}

/* ---- Time ---------------------------------------------------------------------------------- */

/* Clock cycles since reset, low word. */
static inline uint32_t weft_cycle(void) { return WEFT_READ(mcycle); }

/* Instructions of the whole core, low word: of warps, of their threads, and parts of the former. */
static inline uint32_t weft_instructions(void) { return WEFT_READ(minstret); }
static inline uint32_t weft_thread_instructions(void) { return WEFT_READ(WEFT_CSR_THREAD_INSTRUCTIONS); }
static inline uint32_t weft_parts(void) { return WEFT_READ(WEFT_CSR_PARTS); }

/* What this warp does from now on counts in this region (0 to 31) of --stats. */
static inline void weft_region(uint32_t region)
{
    __asm__ volatile("csrw " WEFT_EXPANDED(WEFT_CSR_REGION) ", %0" ::"r"(region));
}

/* Loads after it see what another master of the bus has written before. Only on a core with dcache.bytes. */
static inline void weft_refresh(void) { __asm__ volatile("csrwi " WEFT_EXPANDED(WEFT_CSR_REFRESH) ", 0" ::: "memory"); }

/* ---- Console ------------------------------------------------------------------------------- */

/* Prints one character. When several lanes print at once, each prints its own, in lane order. */
static inline void weft_putc(char character)
{
    *(volatile uint8_t *)WEFT_CONSOLE = (uint8_t)character;
}

static inline void weft_puts(const char *text)
{
    while (*text)
        weft_putc(*text++);
}

static inline void weft_put_hex(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        weft_putc("0123456789abcdef"[value >> shift & 15]);
}

static inline void weft_put_decimal(uint32_t value)
{
    char digits[10];
    int count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count)
        weft_putc(digits[--count]);
}

/* ---- The end of the whole run -------------------------------------------------------------- */

extern volatile uint32_t tohost;

/* Ends the run of all threads at once: passed. Where nothing reads the word, ends this thread. */
static inline __attribute__((noreturn)) void weft_pass(void)
{
    tohost = 1;
    weft_exit(0);
}

/* Ends the run of all threads at once, or this thread: test `number` (1 or more) failed. */
static inline __attribute__((noreturn)) void weft_fail(uint32_t number)
{
    tohost = number << 1 | 1;
    weft_exit(number);
}

/* ---- Data ---------------------------------------------------------------------------------- */

/* Aligns an array to a line of memory, for any T: lane i then finds element i in word i of the
 * line, and one transaction serves the whole warp. Otherwise each lane needs its own. */
#define WEFT_ALIGNED __attribute__((aligned(256)))

/* Places data where the start does not clear it: memory that the host fills before the start, and
 * large arrays whose words are all written before they are read. */
#define WEFT_HOST __attribute__((section(".noinit")))

/* ---- Results that the host reads ----------------------------------------------------------- */

/* Defines the array `name` of `words` words, which `weft run --signature FILE` writes after the
 * run, one word per line in hexadecimal. A program may have only one. */
#define WEFT_SIGNATURE(name, words)                                          \
    WEFT_ALIGNED uint32_t name[words];                                       \
    __asm__(".globl begin_signature, end_signature\n\t"                      \
            ".set begin_signature, " #name "\n\t"                            \
            ".set end_signature, " #name " + 4 * (" WEFT_EXPANDED(words) ")")

/* Folds a word into a digest. A digest differs whenever one of its words does. */
static inline uint32_t weft_fold(uint32_t digest, uint32_t word)
{
    return (digest << 5 | digest >> 27) + word;
}

/* Number of digests with which a kernel checks its results: word i is folded into digest i %
 * WEFT_DIGESTS. */
#define WEFT_DIGESTS 16

/* Compares the digests of `count` words, all threads together. Returns a value other than 0 in a
 * thread that finds a wrong one. */
static inline uint32_t weft_differ(const uint32_t *words, uint32_t count,
                                   const uint32_t expected[WEFT_DIGESTS])
{
    const uint32_t threads = weft_threads();
    uint32_t wrong = 0;
    for (uint32_t i = weft_hart(); i < WEFT_DIGESTS; i += threads) {
        uint32_t digest = 0;
        for (uint32_t at = i; at < count; at += WEFT_DIGESTS)
            digest = weft_fold(digest, words[at]);
        wrong |= digest ^ expected[i];
    }
    return wrong;
}

#endif
