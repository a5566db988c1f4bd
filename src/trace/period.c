/* SPDX-License-Identifier: Apache-2.0 */
#include "period.h"

#include <stdbool.h>
#include <string.h>

enum {
    MOST_ROUNDS = 64, /* over the sequence in all, whatever it holds: linear time */
    MOST_ODD = 50,    /* one in so many symbols may differ: an operator that depends on data */
};

static bool same(const uint64_t *a, const uint64_t *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static bool ends_agree(const uint64_t *symbols, size_t count, size_t period)
{
    return same(symbols, symbols + period, period) &&
           same(symbols + count - period, symbols + count - 2 * period, period);
}

/* Symbols that differ from the one a period later; looks no further once they are more than `most`. */
static size_t odd_symbols(const uint64_t *symbols, size_t count, size_t period, size_t most)
{
    size_t odd = 0;
    for (size_t i = 0; i + period < count && odd <= most; i++)
        odd += symbols[i] != symbols[i + period];
    return odd;
}

size_t period_of(const uint64_t *symbols, size_t count)
{
    size_t best = 0, most = count / MOST_ODD, looked = 0;
    for (size_t period = 1; period * PERIOD_LEAST <= count && looked < count * MOST_ROUNDS; period++) {
        if (symbols[count - 1] != symbols[count - 1 - period])
            continue;
        looked += 2 * period;
        if (!ends_agree(symbols, count, period))
            continue;
        looked += count;
        const size_t odd = odd_symbols(symbols, count, period, most);
        if (odd > most)
            continue;
        best = period;
        if (odd == 0)
            break;
        most = (odd - 1) / 2; /* a longer one must be clearly better, not just have less to compare */
    }
    return best;
}
