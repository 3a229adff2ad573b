/* Loads and stores in all patterns that the coalescer treats differently: unit stride,
 * broadcast, rotated, reversed, permuted, stride two, under a partial mask, bytes and halfwords,
 * and several lanes that store to one word, of which the highest wins. Each warp has its own
 * block of memory. */

#include "weft.h"

#define MOST_THREADS 4096

static WEFT_ALIGNED WEFT_HOST uint32_t memory[2 * MOST_THREADS];

/* A value that identifies thread and pattern. */
static uint32_t mark(unsigned pattern, unsigned hart) { return pattern << 24 ^ hart << 4 ^ 0x80c5; }

/* A load by the given instruction: the compiler prefers to extend signs itself. */
#define LOAD(instruction, place)                                             \
    ({                                                                       \
        uint32_t value_;                                                     \
        __asm__ volatile(instruction " %0, %1" : "=r"(value_) : "m"(place)); \
        value_;                                                              \
    })

int main(unsigned hart)
{
    const unsigned threads = weft_threads_per_warp();
    const unsigned last = threads - 1;
    const unsigned lane = weft_lane();
    const unsigned first = hart - lane; /* the hart of lane 0 */
    volatile uint32_t *words = &memory[2 * first];
    volatile uint8_t *bytes = (volatile uint8_t *)words;
    volatile uint16_t *halves = (volatile uint16_t *)words;
    uint32_t wrong = 0;

    /* Unit stride; then rotated, reversed, broadcast loads. */
    words[lane] = mark(1, hart);
    weft_barrier();
    wrong |= words[lane] ^ mark(1, hart);
    wrong |= words[(lane + 1) & last] ^ mark(1, first + ((lane + 1) & last));
    wrong |= words[last - lane] ^ mark(1, first + (last - lane));
    wrong |= words[0] ^ mark(1, first);
    wrong |= words[last] ^ mark(1, first + last);
    weft_barrier();

    /* Stride two: over two lines. */
    words[2 * lane] = mark(2, hart);
    words[2 * lane + 1] = mark(3, hart);
    weft_barrier();
    wrong |= words[2 * (last - lane)] ^ mark(2, first + (last - lane));
    wrong |= words[2 * lane + 1] ^ mark(3, hart);
    weft_barrier();

    /* Reversed and permuted stores. */
    words[last - lane] = mark(4, hart);
    words[threads + ((5 * lane + 3) & last)] = mark(5, hart);
    weft_barrier();
    wrong |= words[lane] ^ mark(4, first + (last - lane));
    wrong |= words[threads + ((5 * lane + 3) & last)] ^ mark(5, hart);
    weft_barrier();

    /* A partial mask: the odd lanes overwrite their words. */
    words[lane] = mark(6, hart);
    if (lane & 1)
        words[lane] = ~words[lane];
    weft_barrier();
    wrong |= words[last - lane] ^ mark(6, first + (last - lane)) ^ -((last - lane) & 1);
    weft_barrier();

    /* Bytes and halfwords, signed and unsigned. */
    bytes[lane] = (uint8_t)(0x7e + lane);
    halves[threads + lane] = (uint16_t)(0x7ffe + lane);
    weft_barrier();
    unsigned other = lane ^ (last & 3);
    wrong |= bytes[other] ^ ((0x7e + other) & 0xff);
    wrong |= LOAD("lb", bytes[other]) ^ (uint32_t)(int8_t)(0x7e + other);
    wrong |= halves[threads + other] ^ ((0x7ffe + other) & 0xffff);
    wrong |= LOAD("lh", halves[threads + other]) ^ (uint32_t)(int16_t)(0x7ffe + other);
    weft_barrier();

    /* Conflicts: all lanes on one word; the halves of the warp on the same words; pairs; bytes. */
    words[0] = mark(7, hart);
    weft_barrier();
    wrong |= words[0] ^ mark(7, first + last);
    weft_barrier();
    const unsigned half = threads / 2;
    words[lane & (half - 1)] = mark(8, hart);
    weft_barrier();
    wrong |= words[lane & (half - 1)] ^ mark(8, first + (lane | half));
    weft_barrier();
    words[lane | 1] = mark(9, hart); /* the odd lanes on their own words, each with a rival */
    weft_barrier();
    wrong |= words[lane | 1] ^ mark(9, first + ((lane | 1) & last));
    weft_barrier();
    bytes[lane & 3] = (uint8_t)lane;
    halves[2 + (lane & 1)] = (uint16_t)lane;
    weft_barrier();
    wrong |= bytes[lane & 3] ^ (lane | (last & ~3u));
    wrong |= halves[2 + (lane & 1)] ^ (lane | (last & ~1u));

    return wrong != 0;
}
