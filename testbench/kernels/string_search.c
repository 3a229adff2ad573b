/* Finds the first position of a word in a text, with a different word in each thread: letter by
 * letter, with two loops that exit early, and a second time with the bits of a register
 * (shift-and), in which all lanes stay together. */

#include "weft.h"

static const char text[] = "abracadabraabcacbdacabradabacabbacadacra";

#define LENGTH ((unsigned)sizeof text - 1)

static __attribute__((noinline)) unsigned find_letter_by_letter(const char *word, unsigned length)
{
    for (unsigned at = 0; at + length <= LENGTH; at++) {
        unsigned same = 0;
        while (text[at + same] == word[same])
            if (++same == length)
                return at;
    }
    return LENGTH;
}

static __attribute__((noinline)) unsigned find_by_bits(const char *word, unsigned length)
{
    /* Bit i of `partial`: the last i + 1 letters of the text begin the word. */
    uint32_t partial = 0, found = LENGTH;
    for (unsigned at = 0; at < LENGTH; at++) {
        uint32_t fits = 0;
        for (unsigned i = 0; i < 5; i++)
            fits |= (uint32_t)(word[i] == text[at]) << i;
        partial = (partial << 1 | 1) & fits;
        uint32_t first = -((partial >> (length - 1) & 1) & (uint32_t)(found == LENGTH));
        found = ((at + 1 - length) & first) | (found & ~first);
    }
    return found;
}

int main(unsigned hart)
{
    /* A piece of the text, of two to five letters. */
    const char *word = text + (11 * hart & 31) + 3;
    unsigned length = 2 + (hart >> 1 & 3);

    return find_letter_by_letter(word, length) != find_by_bits(word, length);
}
