/* For every position in each of 128 queries, finds how many letters from there on occur together
 * in a text: the matching of MUMmer, over the tree of all pieces of up to four letters of the
 * text. The divergent branch: if the tree continues with the next letter, go to the child and to
 * the next letter of the query; otherwise record the match and follow the suffix link to the
 * piece that begins a letter later. Both sides load. */

#include "weft.h"

#define TEXT 64 /* letters, from four; the text is cyclic */
#define QUERIES 128
#define LETTERS 8 /* in a query: a match of each fills four bits of a word */
#define LONGEST 4 /* letters in a piece */
#define NODES (1 + 4 + 16 + 64 + 256)
#define END 4 /* no piece continues with this letter */

/* The node of a piece that ends in `letter` is 4 * (node of the letters before) + 1 + letter. 0
 * is the root, and marks a missing child. */
static WEFT_ALIGNED uint32_t children[NODES][8];
static WEFT_ALIGNED WEFT_HOST uint32_t suffix_link[NODES];
static WEFT_ALIGNED WEFT_HOST uint32_t queries[LETTERS + 1][QUERIES];
WEFT_HOST WEFT_SIGNATURE(matches, QUERIES);

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

static uint32_t letter_of_text(uint32_t at) { return scatter(at % TEXT) >> 8 & 3; }

/* A piece of the text in which some letters have been replaced. */
static uint32_t letter_of_query(uint32_t query, uint32_t at)
{
    uint32_t random = scatter(TEXT + LETTERS * query + at) >> 8;
    uint32_t replaced = -(uint32_t)(random % 4 == 0);
    return (letter_of_text(scatter(query) + at) & ~replaced) | (random / 4 % 4 & replaced);
}

/* The pieces that begin at a position in the text. Other threads may enter the same ones. */
static void add_to_tree(uint32_t at)
{
    uint32_t node = 0, link = 0;
    for (uint32_t length = 0; length < LONGEST; length++) {
        uint32_t letter = letter_of_text(at + length);
        uint32_t child = 4 * node + 1 + letter;
        link = (4 * link + 1 + letter) & -(uint32_t)(length > 0);
        children[node][letter] = child;
        suffix_link[child] = link;
        node = child;
    }
}

/* All four letters occur in the text, so a match has at least one. */
static __attribute__((noinline)) uint32_t match(uint32_t query)
{
    uint32_t node = 0, length = 0, at = 0, begin = 0, lengths = 0;
    uint32_t letter = queries[0][query];
    do {
        uint32_t child = children[node][letter];
        if (child != 0) {
            node = child;
            length++;
            letter = queries[++at][query];
        } else {
            node = suffix_link[node];
            lengths = lengths << 4 | length;
            length--;
            begin++;
        }
    } while (begin < LETTERS);
    return lengths;
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0xea1cb3f5, 0xc8fcb1f7, 0x427823f6, 0x87559df2,
        0x42ee00a7, 0x6e6d7385, 0x5066bcb5, 0x204b18a9,
        0x68a50077, 0x2c50e8f4, 0xbc78ffae, 0xde95b84f,
        0xc3343d9f, 0xc34478f8, 0xde271a7b, 0x2cc65409,
    };
    const unsigned threads = weft_threads();

    for (unsigned at = hart; at < TEXT; at += threads)
        add_to_tree(at);
    for (unsigned query = hart; query < QUERIES; query += threads) {
        for (unsigned at = 0; at < LETTERS; at++)
            queries[at][query] = letter_of_query(query, at);
        queries[LETTERS][query] = END;
    }
    weft_barrier();

    for (unsigned query = hart; query < QUERIES; query += threads)
        matches[query] = match(query);
    weft_barrier();

    return weft_differ(matches, QUERIES, expected) != 0;
}
