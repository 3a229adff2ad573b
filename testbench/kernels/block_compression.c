/* Compresses a grey image in blocks of 4 x 4 pixels, as DXT does with colours: the darkest and
 * the brightest value, two values evenly between them, and for each pixel the nearest of the
 * four. The divergent branches: `if` darker, `if` brighter, `if` nearer than the earlier ones,
 * without `else`. */

#include "weft.h"

#define BLOCKS 64
#define PIXELS 16 /* in a block */

static WEFT_ALIGNED WEFT_HOST uint32_t image[PIXELS][BLOCKS];

/* First the brightest and the darkest value of each block, then two bits for each pixel by
 * block. */
WEFT_HOST WEFT_SIGNATURE(compressed, 2 * BLOCKS);

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

/* A linear slope, different in each block, and noise. */
static uint32_t grey(uint32_t block, uint32_t pixel)
{
    uint32_t noise = scatter(PIXELS * block + pixel) >> 16 & 31;
    return 20 + 2 * block + (block & 7) * (pixel & 3) + (block >> 3) * (pixel >> 2) + noise;
}

static __attribute__((noinline)) void compress(uint32_t block)
{
    uint32_t darkest = 255, brightest = 0;
    for (uint32_t pixel = 0; pixel < PIXELS; pixel++) {
        uint32_t value = image[pixel][block];
        if (value < darkest)
            darkest = value;
        if (value > brightest)
            brightest = value;
    }
    const int32_t step = (int32_t)((brightest - darkest) / 3);
    uint32_t indices = 0;
    for (uint32_t pixel = 0; pixel < PIXELS; pixel++) {
        int32_t difference = (int32_t)(image[pixel][block] - darkest);
        int32_t least = difference * difference;
        uint32_t nearest = 0;
        for (uint32_t index = 1; index < 4; index++) {
            difference -= step;
            if (difference * difference < least) {
                least = difference * difference;
                nearest = index;
            }
        }
        indices |= nearest << 2 * pixel;
    }
    compressed[block] = brightest << 8 | darkest;
    compressed[BLOCKS + block] = indices;
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x831419d0, 0x06ff3206, 0x23cfe0aa, 0x54c40cfc,
        0x4ea89a7c, 0xea1ddbbd, 0x60596ae6, 0xb1c1e090,
        0xcb5d4de2, 0xe9632f24, 0xf7e5b6de, 0xf166cc4b,
        0xc2c51c79, 0xb8558508, 0x2dc2f78f, 0xb6266d97,
    };
    const unsigned threads = weft_threads();

    for (unsigned block = hart; block < BLOCKS; block += threads)
        for (unsigned pixel = 0; pixel < PIXELS; pixel++)
            image[pixel][block] = grey(block, pixel);
    weft_barrier();

    for (unsigned block = hart; block < BLOCKS; block += threads)
        compress(block);
    weft_barrier();

    return weft_differ(compressed, 2 * BLOCKS, expected) != 0;
}
