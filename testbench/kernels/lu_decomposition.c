/* LU decomposition (Doolittle's) of a matrix in row order. In step k half of the threads compute
 * row k of U and the other half column k of L, as in figure 9 of the dual-path execution paper.
 * The divergent branch is `if (thread & 1)`: both sides have a loop of k iterations, each with
 * two loads, a multiplication and a subtraction. All values are integers: every quotient is
 * exact. */

#include "weft.h"

#define N 16

static WEFT_ALIGNED WEFT_HOST int32_t matrix[N][N];

/* The factors of the matrix. L has ones on its diagonal. */
static int32_t element_of_l(int32_t i, int32_t m) { return (i + 1) * (m + 1); }
static int32_t element_of_u(int32_t m, int32_t j) { return 3 * (m + 2) * (j + 1); }

/* Element (i, j) of L * U. With n the smaller of i and j + 1, it is the sum of the first n
 * products, in which 3 * (m + 1) * (m + 2) adds up to n * (n + 1) * (n + 2), and of U's element
 * where L has its one. */
static int32_t product(int32_t i, int32_t j)
{
    int32_t upper = -(int32_t)(i <= j);
    int32_t n = (i & upper) | ((j + 1) & ~upper);
    int32_t sum = (i + 1) * (j + 1) * n * (n + 1) * (n + 2);
    return sum + (element_of_u(i, j) & upper);
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads();

    for (unsigned at = hart; at < N * N; at += threads) {
        int32_t i = (int32_t)(at / N), j = (int32_t)(at % N);
        matrix[i][j] = product(i, j);
    }
    weft_barrier();

    for (unsigned k = 0; k < N; k++) {
        /* U has N - k elements in its row, from the diagonal on; L has one less in its column. */
        for (unsigned thread = hart; thread < 2 * (N - k) - 1; thread += threads) {
            if (thread & 1) {
                unsigned row = k + 1 + thread / 2;
                int32_t rest = matrix[row][k];
                for (unsigned m = 0; m < k; m++)
                    rest -= matrix[row][m] * matrix[m][k];
                matrix[row][k] = rest;
            } else {
                unsigned column = k + thread / 2;
                int32_t rest = matrix[k][column];
                for (unsigned m = 0; m < k; m++)
                    rest -= matrix[k][m] * matrix[m][column];
                matrix[k][column] = rest;
            }
        }
        weft_barrier();
        for (unsigned i = k + 1 + hart; i < N; i += threads)
            matrix[i][k] /= matrix[k][k];
        weft_barrier();
    }

    uint32_t wrong = 0;
    for (unsigned at = hart; at < N * N; at += threads) {
        int32_t i = (int32_t)(at / N), j = (int32_t)(at % N);
        int32_t upper = -(int32_t)(i <= j);
        int32_t expected = (element_of_u(i, j) & upper) | (element_of_l(i, j) & ~upper);
        wrong |= (uint32_t)(matrix[i][j] ^ expected);
    }
    return wrong != 0;
}
