/* One thread reads outside RAM. */

#include <weft.h>

static __attribute__((noinline)) uint32_t reads_outside(void) { return *(volatile uint32_t *)4; }

int main(uint32_t hart)
{
    return hart == 5 ? (int)reads_outside() : 0;
}
