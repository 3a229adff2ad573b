/* Prices of 192 European options by the formula of Black and Scholes (of the CUDA SDK), in fixed point: a price is
 * right to 0.005. The divergent branches: `if` the argument of the normal distribution is positive, without `else`,
 * twice; `if` it is so large that the exponential function is 0, which is rare; a call or a put. Logarithm and root
 * have no branches. */

#include "weft.h"

#define OPTIONS 192
#define ONE 65536        /* the number 1 */
#define FINE 16384       /* the number 1 of roots and what follows from them */
#define RATE 1311        /* 0.02 a year */
#define VOLATILITY 19661 /* 0.3 */

enum { CALL, PUT };

static WEFT_ALIGNED WEFT_HOST int32_t stock[OPTIONS];  /* price now, 20 to 40 */
static WEFT_ALIGNED WEFT_HOST int32_t strike[OPTIONS]; /* price in the contract, 20 to 40 */
static WEFT_ALIGNED WEFT_HOST int32_t years[OPTIONS];  /* until then, 1/16 to 65/16 */
static WEFT_ALIGNED WEFT_HOST uint32_t type[OPTIONS];
WEFT_SIGNATURE(prices, OPTIONS);

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

static int32_t times(int32_t a, int32_t b) { return (int32_t)((int64_t)a * b >> 16); }

/* The logarithm of a / b, from 1/2 to 2: the first terms of 2 artanh((a - b) / (a + b)). */
static int32_t log_of_ratio(int32_t a, int32_t b)
{
    int32_t x = (a - b) * 1024 / ((a + b) / 64);
    int32_t square = times(x, x);
    int32_t sum = ONE / 5 + times(square, ONE / 7);
    sum = ONE / 3 + times(square, sum);
    return 2 * (x + times(x, times(square, sum)));
}

/* The root of x by Heron's method, in FINE. */
static int32_t root(int32_t x)
{
    int32_t y = (x + ONE) / 8;
    for (int i = 0; i < 4; i++)
        y = (y + (x << 12) / y) / 2;
    return y;
}

/* e to the power of -x for x >= 0: 2 to the power of minus the integer part of x / ln 2, and a polynomial. */
static int32_t exp_of_minus(int32_t x)
{
    if (x >= 10 * ONE)
        return 0;
    int32_t binary = times(x, 94548);
    int32_t rest = times(binary & (ONE - 1), 45426);
    int32_t sum = ONE / 24 - times(rest, ONE / 120);
    sum = ONE / 6 - times(rest, sum);
    sum = ONE / 2 - times(rest, sum);
    sum = ONE - times(rest, sum);
    return (ONE - times(rest, sum)) >> (binary >> 16);
}

/* The normal distribution, by the polynomial of Abramowitz and Stegun (26.2.17). */
static int32_t normal(int32_t d)
{
    static const int32_t factors[] = {87181, -119358, 116751, -23368, 20931};
    int32_t sign = d >> 31, size = (d ^ sign) - sign;
    int32_t k = (1 << 30) / (FINE + times(size, 15181) / 4);
    int32_t sum = 0;
    for (int i = 0; i < 5; i++)
        sum = times(k, factors[i] + sum);
    int32_t half_of_square = (int32_t)((int64_t)size * size >> 17);
    int32_t tail = times(times(26145, exp_of_minus(half_of_square)), sum);
    if (d > 0)
        tail = ONE - tail;
    return tail;
}

static __attribute__((noinline)) int32_t price(uint32_t i)
{
    int32_t spread = times(VOLATILITY, root(years[i])); /* in FINE */
    int32_t drift = times(RATE + times(VOLATILITY, VOLATILITY) / 2, years[i]);
    int32_t d = (log_of_ratio(stock[i], strike[i]) + drift) * FINE / spread;
    int32_t of_stock = normal(d), of_strike = normal(d - 4 * spread);
    int32_t discounted = times(strike[i], exp_of_minus(times(RATE, years[i])));
    if (type[i] == CALL)
        return times(stock[i], of_stock) - times(discounted, of_strike);
    return times(discounted, ONE - of_strike) - times(stock[i], ONE - of_stock);
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0x3b74887a, 0x9276da2d, 0xc2e79406, 0xb5570eb6,
        0xb9b03713, 0x8b888900, 0xca98a8b0, 0x02247f55,
        0x95338613, 0xa08e1262, 0x0e97c30d, 0x3d376d82,
        0xb5bfc939, 0xd9c654ed, 0x659eadda, 0xfb8905c7,
    };
    const unsigned threads = weft_threads();

    for (unsigned i = hart; i < OPTIONS; i += threads) {
        uint32_t random = scatter(i);
        stock[i] = (int32_t)(20 * ONE + (random & 255) * (20 * ONE / 256));
        strike[i] = (int32_t)(20 * ONE + (random >> 8 & 255) * (20 * ONE / 256));
        years[i] = (int32_t)(ONE / 16 + (random >> 16 & 255) * (4 * ONE / 256));
        type[i] = random >> 24 & 1;
    }
    weft_barrier();

    for (unsigned i = hart; i < OPTIONS; i += threads)
        prices[i] = (uint32_t)price(i);
    weft_barrier();

    return weft_differ(prices, OPTIONS, expected) != 0;
}
