/* Scores of the best alignments of eight pairs of words (Needleman and Wunsch, in Rodinia),
 * along the diagonals: in each step the columns with a cell on the diagonal compute. The
 * divergent branches: `if` a column has a cell in this step, `if` the letters are equal, `if` a
 * gap is better, all without `else`. */

#include "weft.h"

#define PAIRS 8
#define LETTERS 8
#define GAP 2 /* a letter without a partner costs 2, different letters 1; equal ones give 3 */

/* Row and column 0 are before the words. */
#define EDGE (LETTERS + 1)

static WEFT_ALIGNED WEFT_HOST uint32_t words[2][PAIRS * LETTERS];
static WEFT_ALIGNED WEFT_HOST int32_t scores[PAIRS][EDGE][EDGE];
WEFT_SIGNATURE(columns, PAIRS * LETTERS); /* the scores of a column, folded into one word */

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

/* The second word is the first without one letter, and with every fifth letter changed. */
static void make_letter(uint32_t pair, uint32_t at)
{
    uint32_t from = (LETTERS + 1) * pair + at;
    words[0][LETTERS * pair + at] = scatter(from) >> 8 & 3;
    words[1][LETTERS * pair + at] = (scatter(from + (at >= 2 + pair / 2)) >> 8 & 3) ^ (at % 5 == 4);
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0xde7c1452, 0x07beba04, 0x3104709c, 0x0c464caa,
        0x025207c6, 0xf83dfe49, 0xb0358c8d, 0xadda89a9,
        0xde7c1452, 0x07beba04, 0x3104709c, 0x0c4648aa,
        0x024fe3ad, 0xf83bf5ac, 0xf026fbe8, 0xe01c0184,
    };
    const unsigned threads = weft_threads();

    for (unsigned i = hart; i < PAIRS * LETTERS; i += threads)
        make_letter(i / LETTERS, i % LETTERS);
    for (unsigned i = hart; i < PAIRS * EDGE; i += threads) {
        unsigned pair = i / EDGE, at = i % EDGE;
        scores[pair][0][at] = scores[pair][at][0] = -GAP * (int32_t)at;
    }
    weft_barrier();

    for (unsigned step = 0; step < 2 * LETTERS - 1; step++) {
        for (unsigned i = hart; i < PAIRS * LETTERS; i += threads) {
            unsigned pair = i / LETTERS, column = i % LETTERS, row = step - column;
            if (row < LETTERS) {
                int32_t best = scores[pair][row][column] - 1;
                if (words[0][LETTERS * pair + row] == words[1][i])
                    best += 4;
                int32_t gap = scores[pair][row][column + 1] - GAP;
                int32_t other = scores[pair][row + 1][column] - GAP;
                if (other > gap)
                    gap = other;
                if (gap > best)
                    best = gap;
                scores[pair][row + 1][column + 1] = best;
                columns[i] = weft_fold(columns[i], (uint32_t)best);
            }
        }
        weft_barrier();
    }

    return weft_differ(columns, PAIRS * LETTERS, expected) != 0;
}
