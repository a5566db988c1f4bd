/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a group as a dry run tells them (python/dry/ranks.py): runs of equal steps, apart by commas. */
#include "collective.h"

static const int64_t most = (int64_t)1 << 30;

struct run {
    int64_t first, last, step;
};

static bool read_run(str text, struct run *run)
{
    str first, last;
    *run = (struct run){.step = 1};
    if (!str_cut(&text, '-', &first) || !str_int(first, &run->first) || run->first < 0 || run->first > most)
        return false;
    run->last = run->first;
    if (!str_cut(&text, ':', &last))
        return true;
    const bool stepped = text.len > 0;
    return str_int(last, &run->last) && run->last >= run->first && run->last <= most &&
           (!stepped || (str_int(text, &run->step) && run->step > 0));
}

/* Of the run those below a bound. */
static int64_t below(const struct run *run, int64_t bound)
{
    const int64_t last = run->last < bound ? run->last : bound - 1;
    return last < run->first ? 0 : (last - run->first) / run->step + 1;
}

static int64_t count(str members, int64_t from, int64_t to)
{
    int64_t found = 0;
    struct run run;
    for (str part; str_cut(&members, ',', &part);)
        found += read_run(part, &run) ? below(&run, to) - below(&run, from) : 0;
    return found;
}

int64_t collective_members(str members)
{
    return count(members, 0, most + 1);
}

int64_t collective_members_near(str members, int64_t server)
{
    struct run run;
    str rest = members, part;
    if (!str_cut(&rest, ',', &part) || !read_run(part, &run) || server < 1)
        return 0;
    const int64_t first = run.first / server * server;
    return count(members, first, first + server);
}
