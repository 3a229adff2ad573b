/* weft_grid.h: grids of blocks, for C and C++.
 *
 * A program defines kernels, and a host part instead of main:
 *
 *     struct vectors { const uint32_t *a, *b; uint32_t *sum; uint32_t length; };
 *
 *     WEFT_KERNEL(add, struct vectors, v, at)
 *     {
 *         for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at))
 *             v.sum[i] = v.a[i] + v.b[i];
 *     }
 *
 *     int weft_host(void)
 *     {
 *         struct vectors v = {...};
 *         struct weft_figures figures = weft_launch(add, 16, weft_block_of(64), 0, &v);
 *         return figures.error;
 *     }
 *
 * The host part runs on hart 0, on a stack of its own, while all others wait. A launch runs the
 * kernel once in each thread of each block, and comes back when all have returned. A block is a
 * group of whole warps. As many blocks as fit run at once; each place of the core runs every so
 * many-th block. What weft_host returns is the exit code of hart 0. */

#ifndef WEFT_GRID_H
#define WEFT_GRID_H

#include "weft.h"

#ifdef __cplusplus
extern "C" {
#define WEFT_STATIC_ASSERT static_assert
#else
#define WEFT_STATIC_ASSERT _Static_assert
#endif

/* ---- Kernels ------------------------------------------------------------------------------- */

/* Where a thread is. */
struct weft_place {
    uint32_t grid;                      /* blocks of the grid */
    uint32_t block;                     /* this block: 0 to grid - 1 */
    uint32_t threads;                   /* threads of a block, a power of two */
    uint32_t threads_log2;
    uint32_t thread;                    /* this thread in its block: 0 to threads - 1 */
    void *shared;                       /* the shared memory of this block, aligned to a line */
};

/* The number of a thread in its grid, and the threads of the grid. */
static inline uint32_t weft_index(const struct weft_place at)
{
    return (at.block << at.threads_log2) + at.thread;
}
static inline uint32_t weft_size(const struct weft_place at) { return at.grid << at.threads_log2; }

/* Bytes of arguments: they are copied to registers, or to the stack of each thread. */
#define WEFT_MOST_ARGUMENTS 64

/* Begins the definition of a kernel. `arguments` names its copy of the arguments, of the type
 * `type`; `at` names its struct weft_place. A kernel returns nothing. It may neither launch a kernel
 * nor end a thread. */
#define WEFT_KERNEL(name, type, arguments, at)                                                    \
    static inline __attribute__((always_inline)) void name##_weft_body(type arguments,            \
                                                                       const struct weft_place at); \
    static __attribute__((noinline)) void name(const void *arguments_, uint32_t block_,           \
                                               uint32_t thread_, uint32_t grid_,                  \
                                               uint32_t log2_, void *shared_)                     \
    {                                                                                             \
        WEFT_STATIC_ASSERT(sizeof(type) <= WEFT_MOST_ARGUMENTS,                                   \
                           "a kernel takes at most 64 bytes of arguments");                       \
        const struct weft_place place_ = {grid_, block_, 1u << log2_, log2_, thread_, shared_};   \
        name##_weft_body(*(const type *)arguments_, place_);                                      \
    }                                                                                             \
    static inline __attribute__((always_inline)) struct weft_figures name##_weft_launch(          \
        uint32_t grid_, uint32_t threads_, uint32_t shared_, const type *arguments_)              \
    {                                                                                             \
        if (__builtin_constant_p(threads_) && (threads_ == 0 || (threads_ & (threads_ - 1))))     \
            weft_threads_of_a_block_are_no_power_of_two();                                        \
        return weft_launch_kernel(name, grid_, threads_, shared_, arguments_);                    \
    }                                                                                             \
    static inline void name##_weft_body(type arguments __attribute__((unused)),                   \
                                        const struct weft_place at __attribute__((unused)))

/* In a kernel: the shared memory of its block, as an array of `type`. It lies in the scratchpad if
 * there is one, else in the RAM between the program and the stacks. Its content is undefined at the
 * start of a block. */
#define WEFT_SHARED(type, at) ((type *)(at).shared)

/* In a kernel: waits for all threads of the block. All must come here. */
static inline void weft_block_barrier(void) { weft_barrier(); }

/* ---- The host part ------------------------------------------------------------------------- */

/* The program defines it. */
int weft_host(void);

enum {
    WEFT_LAUNCH_THREADS = 1,            /* a block must be of T, 2 T, 4 T, ... threads, at most W T */
    WEFT_LAUNCH_SHARED,                 /* there is less shared memory than that */
    WEFT_LAUNCH_NESTED,                 /* a launch from inside a kernel, or a constructor */
    WEFT_LAUNCH_STACK,                  /* an exit code: the host part has left its stack */
    WEFT_LAUNCH_ENDED                   /* an exit code of all but hart 0, which a kernel has ended */
};

/* What a launch took, from the host part and back to it. */
struct weft_figures {
    int error;                          /* 0, or one of those above: the kernel has not run */
    uint64_t cycles;
    uint64_t instructions;              /* of warps */
    uint64_t thread_instructions;
    uint64_t parts;                     /* of instructions of warps */
};

/* Launches `kernel` on `grid` blocks of `threads` threads, with `shared` bytes of shared memory for
 * each block and a copy of the struct at `arguments`. Waits until it has ended. A launch in error
 * prints what is wrong. */
#define weft_launch(kernel, grid, threads, shared, arguments)                                     \
    kernel##_weft_launch(grid, threads, shared, arguments)

/* The largest size of a block that is at most `most`, but at least T, and leaves no warp without
 * work: T times a power of two that divides W. */
uint32_t weft_block_of(uint32_t most);

/* The number of blocks of so many threads that run at the same time. */
uint32_t weft_blocks_at_once(uint32_t threads);

/* Bytes of shared memory for all blocks that run at the same time. */
uint32_t weft_shared_bytes(void);

/* Takes memory from the RAM between the program and the stacks, aligned to a line, for good. It is
 * not cleared. If there is too little left, prints so and ends the run. */
void *weft_allocate(uint32_t bytes);

/* The region (0 to 31) of the statistics to which later launches belong; 1 at first. All else is in
 * region 0. */
void weft_region_of_launches(uint32_t region);

/* Adds the figures of a launch to those of others. */
void weft_add_figures(struct weft_figures *sum, struct weft_figures figures);

/* Prints a line with the figures of a launch. */
void weft_print_figures(const char *name, const struct weft_figures *figures);

/* Prints a number in decimal, without a division. */
void weft_put_long(uint64_t value);

/* ---- For the macros ------------------------------------------------------------------------ */

typedef void weft_entry(const void *arguments, uint32_t block, uint32_t thread, uint32_t grid,
                        uint32_t threads_log2, void *shared);

struct weft_figures weft_launch_kernel(weft_entry *entry, uint32_t grid, uint32_t threads,
                                       uint32_t shared, const void *arguments);

__attribute__((error("the threads of a block must be a power of two"))) void
weft_threads_of_a_block_are_no_power_of_two(void);

#ifdef __cplusplus
}
#endif

#endif
