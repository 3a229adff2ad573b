/* Counts the words outside of quotation marks in a text, and adds up the letters inside. Each thread begins elsewhere, every
 * other one inside a quotation. The loops for outside and inside jump to each other and both are entered from above: so they
 * form a loop with two entries, which is irreducible. A second count has one loop and no such jumps. */

#include "weft.h"

static const char text[] = "ab \"cd e\" fg \"h\" i jk \"lm no\" \"p\" qr s \"tu v\" w xy";

#define LENGTH ((unsigned)sizeof text - 1)

static __attribute__((noinline)) uint32_t count_by_jumps(const char *at, unsigned quoted)
{
    uint32_t words = 0, sum = 0;
    unsigned char letter;
    if (quoted)
        goto inside;
outside:
    letter = (unsigned char)*at++;
    if (letter == '"')
        goto inside;
    words += letter == ' ';
    if (letter != '\0')
        goto outside;
    return words << 16 | sum;
inside:
    letter = (unsigned char)*at++;
    if (letter == '"')
        goto outside;
    sum += letter;
    if (letter != '\0')
        goto inside;
    return words << 16 | sum;
}

static __attribute__((noinline)) uint32_t count_by_masks(const char *at, uint32_t quoted)
{
    uint32_t words = 0, sum = 0;
    for (; *at != '\0'; at++) {
        uint32_t letter = (unsigned char)*at, mark = letter == '"';
        words += (letter == ' ') & ~quoted;
        sum += letter & -(quoted & ~mark);
        quoted ^= mark;
    }
    return words << 16 | sum;
}

int main(unsigned hart)
{
    const char *at = text + (7 * hart & 31);
    return count_by_jumps(at, hart & 1) != count_by_masks(at, hart & 1);
}
