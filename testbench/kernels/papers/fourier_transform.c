/* The Fourier transform of 256 complex numbers (FFT of SPLASH-2) in fixed point, by radix 2: bit reversal, then eight
 * stages of butterflies with barriers between them. A stage halves the numbers, so that none overflows, and rounds
 * down. The threads diverge where the roots of one are mirrored from a table, `if` a number is exchanged with that
 * at the reversed index, without `else`, and at the ends of loops: hardly, as in the original. */

#include "weft.h"

#define POINTS 256
#define BITS 8
#define QUARTER (POINTS / 4)

/* The cosine of the first quarter, times 16384. */
static const int16_t cosine[QUARTER + 1] = {
    16384, 16379, 16364, 16340, 16305, 16261, 16207, 16143, 16069, 15986, 15893, 15791, 15679,
    15557, 15426, 15286, 15137, 14978, 14811, 14635, 14449, 14256, 14053, 13842, 13623, 13395,
    13160, 12916, 12665, 12406, 12140, 11866, 11585, 11297, 11003, 10702, 10394, 10080, 9760,
    9434, 9102, 8765, 8423, 8076, 7723, 7366, 7005, 6639, 6270, 5897, 5520, 5139,
    4756, 4370, 3981, 3590, 3196, 2801, 2404, 2006, 1606, 1205, 804, 402, 0,
};

/* The roots of one for half of a circle, clockwise: real and imaginary parts. */
static WEFT_ALIGNED WEFT_HOST int32_t root[2][POINTS / 2];

WEFT_HOST WEFT_SIGNATURE(points, 2 * POINTS); /* real parts, then imaginary parts */

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

static void make_root(uint32_t i)
{
    if (i <= QUARTER) {
        root[0][i] = cosine[i];
        root[1][i] = -cosine[QUARTER - i];
    } else {
        root[0][i] = -cosine[POINTS / 2 - i];
        root[1][i] = -cosine[i - QUARTER];
    }
}

static uint32_t reverse(uint32_t i)
{
    uint32_t reversed = 0;
    for (uint32_t bit = 0; bit < BITS; bit++)
        reversed = reversed << 1 | (i >> bit & 1);
    return reversed;
}

static void exchange(uint32_t a, uint32_t b)
{
    uint32_t of_a = points[a];
    points[a] = points[b];
    points[b] = of_a;
}

static void butterfly(uint32_t low, uint32_t high, uint32_t turn)
{
    int32_t cos = root[0][turn], sin = root[1][turn];
    int32_t x = (int32_t)points[high], y = (int32_t)points[POINTS + high];
    int32_t real = (x * cos - y * sin) >> 14, imaginary = (x * sin + y * cos) >> 14;
    x = (int32_t)points[low];
    y = (int32_t)points[POINTS + low];
    points[low] = (uint32_t)((x + real) >> 1);
    points[POINTS + low] = (uint32_t)((y + imaginary) >> 1);
    points[high] = (uint32_t)((x - real) >> 1);
    points[POINTS + high] = (uint32_t)((y - imaginary) >> 1);
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x83a804df, 0x57ec4002, 0xf346a0ca, 0x7bf77248,
        0xdd6c0bd3, 0x0287e422, 0x0fa736eb, 0x2b90e70c,
        0x47720a35, 0xc3fe2cae, 0x9d34029f, 0xd4064532,
        0xd4c4be99, 0xfb5e2ea7, 0x428cb533, 0xcc982b23,
    };
    const unsigned threads = weft_threads();

    for (unsigned i = hart; i < POINTS / 2; i += threads)
        make_root(i);
    for (unsigned i = hart; i < 2 * POINTS; i += threads)
        points[i] = (scatter(i) >> 17) - 16384;
    weft_barrier();

    for (unsigned i = hart; i < POINTS; i += threads) {
        uint32_t reversed = reverse(i);
        if (i < reversed) {
            exchange(i, reversed);
            exchange(POINTS + i, POINTS + reversed);
        }
    }
    weft_barrier();

    for (unsigned half = 1; half < POINTS; half *= 2) {
        for (unsigned i = hart; i < POINTS / 2; i += threads) {
            unsigned inside = i & (half - 1), low = 2 * i - inside;
            butterfly(low, low + half, inside * (POINTS / 2 / half));
        }
        weft_barrier();
    }

    return weft_differ(points, 2 * POINTS, expected) != 0;
}
