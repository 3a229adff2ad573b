/* Motion between two frames: for each square of the new frame, the displacement within a radius at
 * which the old frame differs least. A block holds the square and the part of the old frame that it
 * may come from in shared memory; its threads try the displacements. */

#include "weft_grid.h"

#ifndef SIDE_LOG2
#define SIDE_LOG2 4                     /* of a frame */
#endif
#ifndef SQUARE_LOG2
#define SQUARE_LOG2 2
#endif
#ifndef RADIUS
#define RADIUS 2
#endif
#ifndef BLOCK
#define BLOCK 32
#endif

#define SIDE (1u << SIDE_LOG2)
#define SQUARE (1u << SQUARE_LOG2)
#define WINDOW (SQUARE + 2 * RADIUS)
#define STEPS (2 * RADIUS + 1u)
#define SQUARES (1u << 2 * (SIDE_LOG2 - SQUARE_LOG2))
#define NONE 0xffffffffu

static uint32_t wrong;

struct frames {
    uint8_t *old, *fresh;
    uint32_t *best;                     /* of each square: difference * 1024 + number of the displacement */
};

static uint32_t pixel(uint32_t x, uint32_t y)
{
    uint32_t hash = x * 0x9e3779b1u ^ y * 0x85ebca6bu;
    return (hash ^ hash >> 15) >> 7 & 255;
}

/* Columns move by 1, 2, 0, 1, ... from square to square, rows by -1, 0, 1, ...; with some noise. */
static uint32_t moved(uint32_t x, uint32_t y)
{
    uint32_t square = (x >> SQUARE_LOG2) + 2 * (y >> SQUARE_LOG2);
    return pixel(x + (square + 1) % 3, y + square % 3 - 1) ^ (x == y);
}

/* Of the old frame, whose border repeats outside. */
static uint32_t at_border(int at)
{
    return at < 0 ? 0 : at < (int)SIDE ? (uint32_t)at : SIDE - 1;
}

WEFT_KERNEL(make, struct frames, f, at)
{
    for (uint32_t i = weft_index(at); i < SIDE * SIDE; i += weft_size(at)) {
        f.old[i] = (uint8_t)pixel(i & (SIDE - 1), i >> SIDE_LOG2);
        f.fresh[i] = (uint8_t)moved(i & (SIDE - 1), i >> SIDE_LOG2);
    }
}

WEFT_KERNEL(motion_estimation, struct frames, f, at)
{
    uint32_t *best = WEFT_SHARED(uint32_t, at), *square = best + at.threads, *window = square + SQUARE * SQUARE;
    const uint32_t across_log2 = SIDE_LOG2 - SQUARE_LOG2;
    const uint32_t left = (at.block & ((1u << across_log2) - 1)) << SQUARE_LOG2;
    const uint32_t top = at.block >> across_log2 << SQUARE_LOG2;

    for (uint32_t i = at.thread; i < SQUARE * SQUARE; i += at.threads)
        square[i] = f.fresh[((top + (i >> SQUARE_LOG2)) << SIDE_LOG2) + left + (i & (SQUARE - 1))];
    for (uint32_t i = at.thread; i < WINDOW * WINDOW; i += at.threads) {
        uint32_t y = at_border((int)(top + i / WINDOW) - RADIUS), x = at_border((int)(left + i % WINDOW) - RADIUS);
        window[i] = f.old[(y << SIDE_LOG2) + x];
    }
    weft_block_barrier();

    uint32_t least = NONE;
    for (uint32_t number = at.thread; number < STEPS * STEPS; number += at.threads) {
        const uint32_t *there = window + number / STEPS * WINDOW + number % STEPS, *here = square;
        uint32_t difference = 0;
        for (uint32_t y = 0; y < SQUARE; y++, there += WINDOW)
            for (uint32_t x = 0; x < SQUARE; x++) {
                int change = (int)(*here++ - there[x]), sign = change >> 31;
                difference += (uint32_t)((change ^ sign) - sign);
            }
        difference = difference << 10 | number;
        least = difference < least ? difference : least;
    }
    best[at.thread] = least;
    weft_block_barrier();
    for (uint32_t half = at.threads / 2; half > 0; half /= 2) {
        if (at.thread < half && best[at.thread + half] < best[at.thread])
            best[at.thread] = best[at.thread + half];
        weft_block_barrier();
    }
    if (at.thread == 0)
        f.best[at.block] = best[0];
}

/* One thread a square, from the formulas of the frames. */
WEFT_KERNEL(check, struct frames, f, at)
{
    for (uint32_t i = weft_index(at); i < SQUARES; i += weft_size(at)) {
        const uint32_t across_log2 = SIDE_LOG2 - SQUARE_LOG2;
        const uint32_t left = (i & ((1u << across_log2) - 1)) << SQUARE_LOG2, top = i >> across_log2 << SQUARE_LOG2;
        uint32_t least = NONE, number = 0;
        for (int down = -RADIUS; down <= RADIUS; down++)
            for (int right = -RADIUS; right <= RADIUS; right++, number++) {
                uint32_t difference = 0;
                for (uint32_t p = 0; p < SQUARE * SQUARE; p++) {
                    uint32_t x = left + (p & (SQUARE - 1)), y = top + (p >> SQUARE_LOG2);
                    uint32_t fresh = moved(x, y), old = pixel(at_border((int)x + right), at_border((int)y + down));
                    difference += fresh > old ? fresh - old : old - fresh;
                }
                if (difference << 10 < (least & ~1023u))
                    least = difference << 10 | number;
            }
        if (f.best[i] != least)
            wrong = 1;
    }
}

int weft_host(void)
{
    const uint32_t block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct frames f = {weft_allocate(SIDE * SIDE), weft_allocate(SIDE * SIDE), weft_allocate(4 * SQUARES)};
    const uint32_t bytes = 4 * (block + SQUARE * SQUARE + WINDOW * WINDOW);

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &f);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(motion_estimation, SQUARES, block, bytes, &f);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &f).error;
#ifdef FIGURES
    weft_print_figures("motion_estimation", &figures);
#endif
    return wrong | figures.error;
}
