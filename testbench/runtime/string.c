/* The functions that gcc may call by itself for copies and initialisations, even in a
 * freestanding program. They work byte by byte: short, and the same path for every alignment. */

#include <stddef.h>

void *memcpy(void *restrict destination, const void *restrict source, size_t count)
{
    char *to = destination;
    const char *from = source;
    while (count--)
        *to++ = *from++;
    return destination;
}

void *memmove(void *destination, const void *source, size_t count)
{
    char *to = destination;
    const char *from = source;
    if (to <= from)
        return memcpy(destination, source, count);
    while (count--)
        to[count] = from[count];
    return destination;
}

void *memset(void *destination, int value, size_t count)
{
    char *to = destination;
    while (count--)
        *to++ = (char)value;
    return destination;
}

int memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *a = left, *b = right;
    for (; count; count--, a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}
