/* Scores of 64 short sequences against a profile hidden Markov model (Viterbi's algorithm, in HMMer), one sequence
 * a thread, in integers as in HMMer. A position of the model has states for a match, an insertion and a deletion.
 * The divergent branches: sequences of 3 to 7 letters end one by one; in each cell, `if` another state before is
 * better, without `else`; whether the position can emit the letter. */

#include "weft.h"

#define SEQUENCES 64
#define SHORTEST 3
#define LONGEST 7
#define POSITIONS 5
#define LETTERS 4
#define NEVER (-1000000) /* the score of an impossible event */
#define LOOP (-9)        /* of a letter before or behind the model */

/* Transitions into a position: from the position before it, or of an insertion from the same position. */
enum { MATCH_MATCH, INSERT_MATCH, DELETE_MATCH, BEGIN_MATCH, MATCH_DELETE, DELETE_DELETE, MATCH_INSERT, INSERT_INSERT,
       MATCH_END, TRANSITIONS };

static WEFT_ALIGNED WEFT_HOST int32_t transition[TRANSITIONS][POSITIONS];
static WEFT_ALIGNED WEFT_HOST int32_t emission[LETTERS][POSITIONS];
static WEFT_ALIGNED WEFT_HOST uint32_t letters[LONGEST][SEQUENCES];
static WEFT_ALIGNED WEFT_HOST uint32_t length[SEQUENCES];

/* The best score of each state behind the letters so far. */
static WEFT_ALIGNED WEFT_HOST int32_t match[POSITIONS][SEQUENCES];
static WEFT_ALIGNED WEFT_HOST int32_t insertion[POSITIONS][SEQUENCES];
static WEFT_ALIGNED WEFT_HOST int32_t deletion[POSITIONS][SEQUENCES];

WEFT_SIGNATURE(scores, SEQUENCES);

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

/* A letter that suits the position scores best; one in eight emissions is impossible. */
static int32_t make_emission(uint32_t letter, uint32_t position)
{
    uint32_t random = scatter(100 + POSITIONS * letter + position);
    int32_t possible = (int32_t)(random >> 20 & 31) - 16 + 48 * (letter == position % LETTERS);
    int32_t never = -(int32_t)((random >> 16 & 7) == 0);
    return (possible & ~never) | (NEVER & never);
}

static __attribute__((noinline)) int32_t score(uint32_t sequence)
{
    int32_t before = 0, best_end = NEVER;
    for (uint32_t i = 0; i < POSITIONS; i++)
        match[i][sequence] = insertion[i][sequence] = deletion[i][sequence] = NEVER;

    for (uint32_t at = 0; at < length[sequence]; at++) {
        const int32_t *emitted = emission[letters[at][sequence]];
        int32_t match_before = NEVER, insert_before = NEVER, delete_before = NEVER; /* one letter and position back */
        int32_t best = NEVER, gap = NEVER, end = best_end + LOOP;
        for (uint32_t i = 0; i < POSITIONS; i++) {
            int32_t other = gap + transition[DELETE_DELETE][i];
            gap = best + transition[MATCH_DELETE][i];
            if (other > gap)
                gap = other;

            best = match_before + transition[MATCH_MATCH][i];
            other = insert_before + transition[INSERT_MATCH][i];
            if (other > best)
                best = other;
            other = delete_before + transition[DELETE_MATCH][i];
            if (other > best)
                best = other;
            other = before + transition[BEGIN_MATCH][i];
            if (other > best)
                best = other;
            if (emitted[i] != NEVER)
                best += emitted[i];
            else
                best = NEVER;

            match_before = match[i][sequence];
            insert_before = insertion[i][sequence];
            delete_before = deletion[i][sequence];
            int32_t inserted = match_before + transition[MATCH_INSERT][i];
            other = insert_before + transition[INSERT_INSERT][i];
            if (other > inserted)
                inserted = other;

            match[i][sequence] = best;
            insertion[i][sequence] = inserted;
            deletion[i][sequence] = gap;
            other = best + transition[MATCH_END][i];
            if (other > end)
                end = other;
        }
        best_end = end;
        before += LOOP;
    }
    return best_end;
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x0019ea27, 0x00163512, 0xffff4ff2, 0x0010f913,
        0x00221cd8, 0x001f5a80, 0x000c32d5, 0x002e73fa,
        0x0018ff0f, 0x00051750, 0x0002df39, 0x001387a5,
        0x000eeb86, 0x000b825d, 0xffff4f9b, 0x0024c0bc,
    };
    const unsigned threads = weft_threads();

    for (unsigned i = hart; i < TRANSITIONS * POSITIONS; i += threads)
        transition[i / POSITIONS][i % POSITIONS] = -(int32_t)(scatter(i) >> 24 & 31);
    for (unsigned i = hart; i < LETTERS * POSITIONS; i += threads)
        emission[i / POSITIONS][i % POSITIONS] = make_emission(i / POSITIONS, i % POSITIONS);
    for (unsigned sequence = hart; sequence < SEQUENCES; sequence += threads) {
        length[sequence] = SHORTEST + scatter(sequence) % (LONGEST - SHORTEST + 1);
        for (unsigned at = 0; at < LONGEST; at++)
            letters[at][sequence] = scatter(200 + LONGEST * sequence + at) >> 16 & (LETTERS - 1);
    }
    weft_barrier();

    for (unsigned sequence = hart; sequence < SEQUENCES; sequence += threads)
        scores[sequence] = (uint32_t)score(sequence);
    weft_barrier();

    return weft_differ(scores, SEQUENCES, expected) != 0;
}
