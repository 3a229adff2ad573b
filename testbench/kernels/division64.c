/* Divides 64-bit numbers of all sizes, which a 32-bit core leaves to the compiler's library. The
 * library takes a different path for each size of divisor. */

#include "weft.h"

#define ROUNDS 4

/* Separate functions keep the compiler from combining the two operations. */
static __attribute__((noinline, noclone)) uint64_t divide(uint64_t a, uint64_t b) { return a / b; }
static __attribute__((noinline, noclone)) uint64_t modulo(uint64_t a, uint64_t b) { return a % b; }

static uint32_t random_next(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

int main(unsigned hart)
{
    uint32_t high = random_next(hart + 1), low = random_next(high);
    uint32_t wrong = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t dividend = (uint64_t)high << 32 | low;
        uint64_t divisor = dividend << 20 >> (12 + 8 * ((hart + round) & 7)) | 1;
        uint64_t quotient = divide(dividend, divisor), rest = modulo(dividend, divisor);
        wrong |= rest >= divisor || quotient * divisor + rest != dividend;
        high = low;
        low = random_next(low);
    }
    return wrong != 0;
}
