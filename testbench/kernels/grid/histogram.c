/* Counts bytes by their value: each block counts in shared memory by atomic additions, and adds its
 * counts to those of all. */

#include "weft_grid.h"

#ifndef LENGTH
#define LENGTH 1024                     /* a multiple of 512 */
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

#define BINS 256

_Static_assert(LENGTH % 512 == 0, "LENGTH must be a multiple of 512");

static uint32_t wrong;
static WEFT_ALIGNED uint32_t counts[BINS];

struct bytes {
    uint8_t *byte;
    uint32_t length;
};

/* Each run of 256 bytes has all values, in an order of its own; in every other run, each byte loses
 * its upper two bits. */
WEFT_KERNEL(make, struct bytes, input, at)
{
    for (uint32_t i = weft_index(at); i < input.length; i += weft_size(at)) {
        uint32_t x = (i ^ i >> 5) & 255;
        x ^= x << 3 & 255;
        x ^= x >> 2 ^ (i >> 8 & 255);
        input.byte[i] = (uint8_t)(i & 256 ? x & 63 : x);
    }
}

WEFT_KERNEL(histogram, struct bytes, input, at)
{
    uint32_t *bins = WEFT_SHARED(uint32_t, at);

    for (uint32_t bin = at.thread; bin < BINS; bin += at.threads)
        bins[bin] = 0;
    weft_block_barrier();
    for (uint32_t i = weft_index(at); i < input.length; i += weft_size(at))
        __atomic_fetch_add(&bins[input.byte[i]], 1, __ATOMIC_RELAXED);
    weft_block_barrier();
    for (uint32_t bin = at.thread; bin < BINS; bin += at.threads)
        __atomic_fetch_add(&counts[bin], bins[bin], __ATOMIC_RELAXED);
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct bytes input = {weft_allocate(LENGTH), LENGTH};

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &input);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(histogram, grid, block, 4 * BINS, &input);

    /* Of two runs, the second has four bytes for each of the lower 64 values. */
    for (uint32_t bin = 0; bin < BINS; bin++)
        wrong |= counts[bin] ^ LENGTH / 512 * (bin < 64 ? 5 : 1);
#ifdef FIGURES
    weft_print_figures("histogram", &figures);
#endif
    return wrong != 0 || figures.error;
}
