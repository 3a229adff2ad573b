/* Inclusive prefix sums: each block sums its part of the vector, then goes through it with the sum of
 * the parts before, a piece of one element per thread at a time, which it scans in shared memory. */

#include "weft_grid.h"

#ifndef LENGTH
#define LENGTH 1500
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

#define MOST_BLOCKS 64                  /* as many as warps */

static uint32_t wrong;
static WEFT_ALIGNED uint32_t sums[MOST_BLOCKS];

struct vectors {
    uint32_t *from, *to;
    uint32_t length;
    uint32_t part;                      /* elements of a block */
};

static uint32_t value(uint32_t i) { return (i ^ i >> 3) & 255; }

WEFT_KERNEL(make, struct vectors, v, at)
{
    for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at))
        v.from[i] = value(i);
}

static uint32_t *scan_in_block(uint32_t *from, uint32_t *to, const struct weft_place at)
{
    for (uint32_t distance = 1; distance < at.threads; distance *= 2) {
        uint32_t sum = from[at.thread];
        if (at.thread >= distance)
            sum += from[at.thread - distance];
        to[at.thread] = sum;
        weft_block_barrier();
        uint32_t *other = from;
        from = to;
        to = other;
    }
    return from;
}

static uint32_t begin_of(struct vectors v, uint32_t block)
{
    uint32_t begin = 0;
    for (uint32_t i = 0; i < block; i++)
        begin += v.part;
    return begin;
}

WEFT_KERNEL(sum_parts, struct vectors, v, at)
{
    uint32_t *partial = WEFT_SHARED(uint32_t, at);
    const uint32_t begin = begin_of(v, at.block), end = begin + v.part;
    uint32_t sum = 0;

    for (uint32_t i = begin + at.thread; i < end && i < v.length; i += at.threads)
        sum += v.from[i];
    partial[at.thread] = sum;
    weft_block_barrier();
    for (uint32_t half = at.threads / 2; half > 0; half /= 2) {
        if (at.thread < half)
            partial[at.thread] += partial[at.thread + half];
        weft_block_barrier();
    }
    if (at.thread == 0)
        sums[at.block] = partial[0];
}

WEFT_KERNEL(scan, struct vectors, v, at)
{
    uint32_t *shared = WEFT_SHARED(uint32_t, at);
    const uint32_t begin = begin_of(v, at.block);
    uint32_t carry = 0;

    for (uint32_t block = 0; block < at.block; block++)
        carry += sums[block];
    for (uint32_t done = 0; done < v.part; done += at.threads) {
        const uint32_t i = begin + done + at.thread;
        shared[at.thread] = i < v.length ? v.from[i] : 0;
        weft_block_barrier();
        uint32_t *scanned = scan_in_block(shared, shared + at.threads, at);
        if (i < v.length)
            v.to[i] = carry + scanned[at.thread];
        carry += scanned[at.threads - 1];
        weft_block_barrier();
    }
}

/* Neighbouring sums differ by one value. That holds everywhere only if every sum is correct. */
WEFT_KERNEL(check, struct vectors, v, at)
{
    for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at))
        if (v.to[i] - (i > 0 ? v.to[i - 1] : 0) != value(i))
            wrong = 1;
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct vectors v = {weft_allocate(4 * LENGTH), weft_allocate(4 * LENGTH), LENGTH, 0};

    /* Whole pieces for each block. */
    for (uint32_t all = 0; all < LENGTH; v.part += block)
        for (uint32_t i = 0; i < grid; i++)
            all += block;

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &v);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(sum_parts, grid, block, 4 * block, &v);
    weft_add_figures(&figures, weft_launch(scan, grid, block, 8 * block, &v));
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &v).error;
#ifdef FIGURES
    weft_print_figures("scan", &figures);
#endif
    return wrong | figures.error;
}
