/* Reads every control and status register, in every form of the instruction, and checks known
 * properties: identity, sizes, stacks, increasing counters, masks that show the divergence
 * around them, the group at the barrier, the call depth and the region. */

#include "weft.h"

#define MOST_THREADS 4096

static WEFT_ALIGNED WEFT_HOST uint32_t stack_end[MOST_THREADS];

/* The lanes of `pattern` that a warp has. */
static uint64_t lanes(uint64_t pattern)
{
    unsigned threads = weft_threads_per_warp();
    return threads == 64 ? pattern : pattern & ((1ull << threads) - 1);
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads_per_warp();
    const unsigned lane = weft_lane();
    const uint64_t all = lanes(~0ull), even = lanes(0x5555555555555555), odd = lanes(0xaaaaaaaaaaaaaaaa);
    uint32_t wrong = 0;

    /* Identity and sizes. */
    wrong |= hart ^ weft_hart();
    wrong |= hart >= weft_threads();
    wrong |= weft_warp() >= weft_warps();
    wrong |= threads == 0 || (threads & (threads - 1)) != 0;

    /* The CSRs that end or park a thread read as zero, and reading them has no effect. */
    wrong |= WEFT_READ(WEFT_CSR_EXIT) | WEFT_READ(WEFT_CSR_BARRIER);

    /* All forms that read without writing. */
    uint32_t set, clear, set_immediate, clear_immediate;
    __asm__ volatile("csrrs %0, mhartid, zero" : "=r"(set));
    __asm__ volatile("csrrc %0, mhartid, zero" : "=r"(clear));
    __asm__ volatile("csrrsi %0, mhartid, 0" : "=r"(set_immediate));
    __asm__ volatile("csrrci %0, mhartid, 0" : "=r"(clear_immediate));
    wrong |= (hart ^ set) | (hart ^ clear) | (hart ^ set_immediate) | (hart ^ clear_immediate);

    /* Counters increase; their high words are far from the first carry. */
    uint32_t cycle = weft_cycle(), instructions = weft_instructions();
    wrong |= weft_cycle() - cycle - 1 >= 0x80000000;
    wrong |= weft_instructions() - instructions - 1 >= 0x80000000;
    uint32_t of_threads = weft_thread_instructions(), parts = weft_parts();
    wrong |= weft_thread_instructions() - of_threads - 1 >= 0x80000000;
    wrong |= weft_parts() - parts - 1 >= 0x80000000;
    wrong |= WEFT_READ(time) - cycle - 1 >= 0x80000000;
    wrong |= WEFT_READ(instret) - instructions - 1 >= 0x80000000;
    wrong |= WEFT_READ(mcycleh) | WEFT_READ(minstreth) | WEFT_READ(0xcc8) | WEFT_READ(0xcc9);
    wrong |= WEFT_READ(cycleh) | WEFT_READ(timeh) | WEFT_READ(instreth);

    /* The level is kept as it was after reset. main has been called once. The region reads as
     * what was written, or as 0 without a trace port. */
    uint32_t level = WEFT_READ(WEFT_CSR_BARRIER_LEVEL), depth;
    weft_barrier_level(0);
    wrong |= WEFT_READ(WEFT_CSR_BARRIER_LEVEL);
    weft_barrier_level(level);
    wrong |= WEFT_READ(WEFT_CSR_BARRIER_LEVEL) ^ level;
    __asm__ volatile("csrrwi %0, " WEFT_EXPANDED(WEFT_CSR_CALL_DEPTH) ", 1" : "=r"(depth));
    wrong |= depth ^ 1;
    weft_region(5);
    wrong |= WEFT_READ(WEFT_CSR_REGION) & ~5u;
    weft_region(0);
    wrong |= WEFT_READ(WEFT_CSR_REGION);

    /* The mask is that of the path that reads it. */
    wrong |= weft_active_mask() != all;
    if (lane & 1)
        wrong |= weft_active_mask() != odd;
    else
        wrong |= weft_active_mask() != even;
    if (lane == threads - 1)
        wrong |= weft_active_mask() != 1ull << lane;
    weft_barrier();
    wrong |= weft_active_mask() != all;

    /* Stacks are adjacent, in the order of the threads, and of equal size. */
    char here;
    stack_end[hart] = weft_stack_end();
    wrong |= weft_stack_end() - (uint32_t)&here > 512;
    weft_barrier();
    if (hart > 1)
        wrong |= (stack_end[hart] - stack_end[hart - 1]) ^ (stack_end[1] - stack_end[0]);

    /* The end of a thread, in the form with an immediate. */
    if (wrong == 0)
        __asm__ volatile("csrrwi zero, " WEFT_EXPANDED(WEFT_CSR_EXIT) ", 0");
    return 1;
}
