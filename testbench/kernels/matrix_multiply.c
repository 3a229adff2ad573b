/* Multiplies two 8 x 8 matrices, one thread per element of the product. On a core without M each
 * multiplication is a loop over the bits of a factor (libgcc's), in which lanes with different
 * factors take different branches. */

#include "weft.h"

#define N 8

static WEFT_ALIGNED WEFT_HOST uint32_t a[N][N];
static WEFT_ALIGNED WEFT_HOST uint32_t b[N][N];
static WEFT_ALIGNED WEFT_HOST uint32_t product[N][N];

int main(unsigned hart)
{
    const unsigned threads = weft_threads();

    for (unsigned i = hart; i < N * N; i += threads) {
        unsigned row = i / N, column = i % N;
        a[row][column] = row + column;
        b[row][column] = row + 2 * column;
    }
    weft_barrier();

    for (unsigned i = hart; i < N * N; i += threads) {
        unsigned row = i / N, column = i % N;
        uint32_t sum = 0;
        for (unsigned k = 0; k < N; k++)
            sum += a[row][k] * b[k][column];
        product[row][column] = sum;
    }
    weft_barrier();

    /* The sum over k of (row + k) * (k + 2 * column), in closed form. It is compared with the
     * transposed element, so that a thread checks a result of another thread. */
    unsigned wrong = 0;
    for (unsigned i = hart; i < N * N; i += threads) {
        unsigned row = i % N, column = i / N;
        wrong |= product[row][column] ^ (140 + 56 * column + (28 + 16 * column) * row);
    }
    return wrong != 0;
}
