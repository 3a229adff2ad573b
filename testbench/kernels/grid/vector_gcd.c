/* Greatest common divisors of pairs of 1 to 256 by subtraction: the lanes of a warp need different
 * numbers of rounds, and go both ways in each. */

#include "weft_grid.h"

#ifndef LENGTH
#define LENGTH 512
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

static uint32_t wrong;

struct pairs {
    uint32_t *a, *b, *divisor;
    uint32_t length;
};

static uint32_t first_of(uint32_t i) { return ((i ^ i >> 8) & 255) + 1; }
static uint32_t second_of(uint32_t i) { return ((i << 5 ^ i >> 3 ^ i << 1) & 255) + 1; }

WEFT_KERNEL(make, struct pairs, p, at)
{
    for (uint32_t i = weft_index(at); i < p.length; i += weft_size(at)) {
        p.a[i] = first_of(i);
        p.b[i] = second_of(i);
    }
}

WEFT_KERNEL(vector_gcd, struct pairs, p, at)
{
    for (uint32_t i = weft_index(at); i < p.length; i += weft_size(at)) {
        uint32_t a = p.a[i], b = p.b[i];
        while (a != b) {
            if (a > b)
                a -= b;
            else
                b -= a;
        }
        p.divisor[i] = a;
    }
}

/* Stein's algorithm: halves and subtracts. */
static uint32_t binary_gcd(uint32_t a, uint32_t b)
{
    uint32_t twos = 0;
    for (; !((a | b) & 1); twos++) {
        a >>= 1;
        b >>= 1;
    }
    while (!(a & 1))
        a >>= 1;
    while (b) {
        while (!(b & 1))
            b >>= 1;
        uint32_t least = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = least;
    }
    return a << twos;
}

WEFT_KERNEL(check, struct pairs, p, at)
{
    for (uint32_t i = weft_index(at); i < p.length; i += weft_size(at))
        if (p.divisor[i] != binary_gcd(first_of(i), second_of(i)))
            wrong = 1;
}

int weft_host(void)
{
    const uint32_t bytes = 4 * LENGTH, block = weft_block_of(BLOCK), grid = weft_blocks_at_once(block);
    struct pairs p = {weft_allocate(bytes), weft_allocate(bytes), weft_allocate(bytes), LENGTH};

    weft_region_of_launches(0);
    weft_launch(make, grid, block, 0, &p);
    weft_region_of_launches(1);
    struct weft_figures figures = weft_launch(vector_gcd, grid, block, 0, &p);
    weft_region_of_launches(0);
    wrong |= weft_launch(check, grid, block, 0, &p).error;
#ifdef FIGURES
    weft_print_figures("vector_gcd", &figures);
#endif
    return wrong | figures.error;
}
