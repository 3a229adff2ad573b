/* Prints from all threads. Within a warp the lanes print in lane order; barriers put the warps
 * in order too. The whole output is therefore known: a heading, then a line for each warp with a
 * letter for each lane. */

#include "weft.h"

int main(unsigned hart)
{
    const unsigned warps = weft_warps();

    if (hart == 0) {
        weft_put_decimal(warps);
        weft_puts(" warps of ");
        weft_put_decimal(weft_threads_per_warp());
        weft_puts(" threads\n");
    }
    for (unsigned turn = 0; turn < warps; turn++) {
        weft_barrier();
        if (weft_warp() == turn) {
            weft_putc((char)('A' + weft_lane() % 16));
            if (weft_lane() == 0)
                weft_putc('\n');
        }
    }
    return *(volatile uint8_t *)WEFT_CONSOLE; /* loads from the console read zero */
}
