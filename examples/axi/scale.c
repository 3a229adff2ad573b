/* Multiplies the numbers that the host has written by the argument of the run. */

#include <weft.h>

enum { NUMBERS = 96 };

WEFT_HOST uint32_t input[NUMBERS];
WEFT_HOST uint32_t output[NUMBERS];
uint32_t sum; /* in .bss */

int main(uint32_t hart)
{
    for (uint32_t at = hart; at < NUMBERS; at += weft_threads()) {
        output[at] = input[at] * weft_argument();
        __atomic_fetch_add(&sum, output[at], __ATOMIC_RELAXED);
    }
    weft_barrier();
    if (hart == 0) {
        weft_puts("sum ");
        weft_put_hex(sum);
        weft_putc('\n');
    }
    return 0;
}
