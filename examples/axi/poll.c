/* Waits until the host has written a number, which the data cache would hide. */

#include <weft.h>

WEFT_HOST volatile uint32_t number;

int main(uint32_t hart)
{
    (void)hart;
    while (number == 0)
        weft_refresh();
    return number == 7 ? 0 : 1;
}
