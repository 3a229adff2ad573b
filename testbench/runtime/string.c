/* The functions that gcc may call by itself for copies and initialisations, even in a
 * freestanding program. They work by words where destination and source are aligned alike. */

#include <stddef.h>
#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) word;

static size_t offset(const void *address)
{
    return (uintptr_t)address % sizeof(word);
}

void *memcpy(void *restrict destination, const void *restrict source, size_t count)
{
    char *to = destination;
    const char *from = source;
    if (offset(to) == offset(from)) {
        for (; count && offset(to); count--)
            *to++ = *from++;
        for (; count >= sizeof(word); count -= sizeof(word), to += sizeof(word), from += sizeof(word))
            *(word *)to = *(const word *)from;
    }
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
    if (offset(to) == offset(from)) {
        for (; count && offset(to + count); count--)
            to[count - 1] = from[count - 1];
        for (; count >= sizeof(word); count -= sizeof(word))
            *(word *)(to + count - sizeof(word)) = *(const word *)(from + count - sizeof(word));
    }
    while (count--)
        to[count] = from[count];
    return destination;
}

void *memset(void *destination, int value, size_t count)
{
    char *to = destination;
    word filled = (unsigned char)value * 0x01010101u;
    for (; count && offset(to); count--)
        *to++ = (char)value;
    for (; count >= sizeof(word); count -= sizeof(word), to += sizeof(word))
        *(word *)to = filled;
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
