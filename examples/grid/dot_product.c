/* The dot product of two vectors by a grid of blocks: each block sums by a tree in its shared memory.
 *
 * Compile it in the root of the repository as docs/manual/kernels.md says, with M:
 *
 *     riscv64-unknown-elf-gcc -misa-spec=2.2 -march=rv32im ... examples/grid/dot_product.c ...
 *     weft run dot_product.elf --set warps=4 --set threads=8
 */

#include "weft_grid.h"

#define LENGTH 1000

static WEFT_ALIGNED uint32_t a[LENGTH], b[LENGTH], sums[64];

struct vectors {
    const uint32_t *a, *b;
    uint32_t *sums;                     /* one for each block */
    uint32_t length;
};

WEFT_KERNEL(dot_product, struct vectors, v, at)
{
    uint32_t *partial = WEFT_SHARED(uint32_t, at), sum = 0;

    for (uint32_t i = weft_index(at); i < v.length; i += weft_size(at))
        sum += v.a[i] * v.b[i];
    partial[at.thread] = sum;
    weft_block_barrier();
    for (uint32_t half = at.threads / 2; half > 0; half /= 2) {
        if (at.thread < half)
            partial[at.thread] += partial[at.thread + half];
        weft_block_barrier();
    }
    if (at.thread == 0)
        v.sums[at.block] = partial[0];
}

int weft_host(void)
{
    uint32_t expected = 0, product = 0;
    for (uint32_t i = 0; i < LENGTH; i++) {
        a[i] = i;
        b[i] = 3 * i + 1;
        expected += i * (3 * i + 1);
    }

    const uint32_t block = weft_block_of(16), grid = weft_blocks_at_once(block);
    struct vectors v = {a, b, sums, LENGTH};
    struct weft_figures figures = weft_launch(dot_product, grid, block, 4 * block, &v);
    for (uint32_t i = 0; i < grid; i++)
        product += sums[i];

    weft_print_figures("dot_product", &figures);
    return figures.error || product != expected;
}
