/* SPDX-License-Identifier: Apache-2.0 */
#include "suggest.h"

enum { LONGEST = 40, FAR = 1000 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours count one each. */
static unsigned distance(str a, str b)
{
    unsigned row[3][LONGEST + 1]; /* of i - 2, i - 1 and i, in turn */
    if (a.len > LONGEST || b.len > LONGEST)
        return FAR;
    for (size_t k = 0; k <= b.len; k++)
        row[0][k] = (unsigned)k;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned *now = row[i % 3];
        const unsigned *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t k = 1; k <= b.len; k++) {
            const bool same = a.at[i - 1] == b.at[k - 1];
            now[k] = least(before[k - 1] + !same, least(before[k], now[k - 1]) + 1);
            if (i > 1 && k > 1 && a.at[i - 1] == b.at[k - 2] && a.at[i - 2] == b.at[k - 1])
                now[k] = least(now[k], earlier[k - 2] + 1);
        }
    }
    return row[a.len % 3][b.len];
}

struct suggestion suggest(str word)
{
    return (struct suggestion){.word = word, .distance = FAR};
}

void suggest_offer(struct suggestion *suggestion, str candidate)
{
    const bool begun = suggestion->word.len >= 3 && str_starts(candidate, suggestion->word);
    const unsigned away = begun ? 1 : distance(suggestion->word, candidate);
    if (away < suggestion->distance) {
        suggestion->distance = away;
        suggestion->best = candidate;
    }
}

bool suggest_found(const struct suggestion *suggestion)
{
    return suggestion->distance <= 1 + suggestion->word.len / 4 && suggestion->distance < suggestion->best.len;
}
