/* SPDX-License-Identifier: Apache-2.0 */
#include "decided.h"

#include <math.h>

#include "base/mem.h"
#include "kinds.h"
#include "programme.h"

/* ---- the ends of an answer ---- */

static enum programme_end solved(const struct kinds *kinds, const double *gain, double *most)
{
    double right[PROGRAMME_ROWS] = {0};
    right[kinds->rows - 1] = 1;
    const struct programme programme = {.rows = kinds->rows,
                                        .columns = kinds->count,
                                        .coefficients = kinds->coefficients,
                                        .gain = gain,
                                        .right = right};
    return programme_most(&programme, most);
}

/* The least of a gain is the most of its negative. */
static enum programme_end solved_least(const struct kinds *kinds, const double *gain, double *least)
{
    double *const negative = mem_alloc(kinds->count * sizeof *negative);
    for (size_t i = 0; i < kinds->count; i++)
        negative[i] = -gain[i];
    const enum programme_end end = solved(kinds, negative, least);
    *least = 0 - *least; /* and not -0 */
    mem_free(negative);
    return end;
}

/* ---- what is wrong with the figures ---- */

/* Those of which one alone has to go for the others to agree. */
static str contradicting(const struct decided_asked *asked, struct arena *arena)
{
    str names = S("");
    for (uint32_t f = 0; f < asked->figures->count; f++) {
        struct kinds kinds;
        double most = 0;
        kinds_of(asked, f, false, &kinds);
        if (solved(&kinds, kinds.gain[ANSWER_SPED_UP], &most) != PROGRAMME_CONTRADICTS) {
            const str name = asked->figures->at[f].name;
            names = str_printf(arena, "%.*s%s%.*s", (int)names.len, names.at, names.len ? ", " : "", (int)name.len,
                               name.at);
        }
        kinds_free(&kinds);
    }
    return names.len
               ? str_printf(arena, "the published figures contradict each other: without any one of %.*s they agree",
                            (int)names.len, names.at)
               : S("the published figures contradict each other, in more than one place");
}

static str why_of(enum programme_end end, const struct decided_asked *asked, struct arena *arena)
{
    switch (end) {
    case PROGRAMME_CONTRADICTS:
        return contradicting(asked, arena);
    case PROGRAMME_UNBOUNDED:
        return S("the figures do not bound it");
    default:
        return S("the programme came to no end");
    }
}

static struct decided unknown(str why)
{
    return (struct decided){.least = NAN, .most = NAN, .why = why};
}

/* ---- answers ---- */

static struct decided bounds_of(const struct kinds *kinds, const double *gain, const struct decided_asked *asked,
                                struct arena *arena)
{
    struct decided decided = {.known = true};
    enum programme_end end = solved(kinds, gain, &decided.most);
    if (end == PROGRAMME_SOLVED)
        end = solved_least(kinds, gain, &decided.least);
    return end == PROGRAMME_SOLVED ? decided : unknown(why_of(end, asked, arena));
}

static str obstacle_to(const struct decided_asked *asked, const struct kinds *kinds)
{
    if (kinds->crowded)
        return S("too many bounds part the jobs of one kind");
    if (!kinds->told)
        return S("no figure tells of these jobs");
    if (!kinds->met)
        return S("an obstacle keeps some of these jobs");
    return kinds->proportional ? S("")
                               : S("the step there is no sum of the parts here: overlap, latency, tables of efficiency "
                                   "or traffic of weights");
}

void decided_of(const struct decided_asked *asked, struct arena *arena, struct decided answers[ANSWERS])
{
    struct kinds kinds, between;
    kinds_of(asked, UINT32_MAX, false, &kinds);
    const str why = obstacle_to(asked, &kinds);
    for (int i = 0; i < ANSWERS; i++)
        answers[i] = why.len                          ? unknown(why)
                     : i > 0 && !answers[i - 1].known ? answers[i - 1]
                                                      : bounds_of(&kinds, kinds.gain[i], asked, arena);
    kinds_free(&kinds);
    if (!answers[ANSWER_MEAN].known)
        return;
    kinds_of(asked, UINT32_MAX, true, &between);
    if (solved_least(&between, between.gain[ANSWER_MEAN], &answers[ANSWER_MEAN].least) != PROGRAMME_SOLVED)
        answers[ANSWER_MEAN] = unknown(S("the programme came to no end"));
    kinds_free(&between);
}
