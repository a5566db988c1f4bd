/* SPDX-License-Identifier: Apache-2.0 */
/* What was found of loops in brackets without a frame, as it is asked for. */
#include "inlined.h"

#include "syntax/syntax.h"

uint32_t inlined_at(const struct inlined *inlined, uint32_t run, int64_t time_ns)
{
    uint32_t found = 0;
    uint32_t low = 0, high = inlined->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (inlined->loops[middle].run < run)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < inlined->count && inlined->loops[low].run == run; low++) {
        const struct inlined_loop *const loop = &inlined->loops[low];
        if (loop->start_ns <= time_ns && time_ns < loop->end_ns && loop->node > found)
            found = loop->node; /* what lies within comes behind in the text */
    }
    return found;
}

enum inlined_state inlined_state(const struct inlined *inlined, const struct syntax *tree, uint32_t file, uint32_t loop)
{
    for (uint32_t at = tree->parent[loop]; at && tree->kind[at] != SYN_FUNCTION; at = tree->parent[at])
        if (tree->kind[at] == SYN_LAMBDA || tree->kind[at] == SYN_GENERATOR)
            return INLINED_WITHIN;
    const uint32_t state = map_get(&inlined->states, inlined_key(file, loop));
    return state == MAP_NONE ? INLINED_NOT_RUN : (enum inlined_state)state;
}

const char *inlined_why(enum inlined_state state)
{
    switch (state) {
    case INLINED_NO_FIT:
        return "what the function called in the trace is not what its text says";
    case INLINED_ALIKE:
        return "calls of the same names in this function may be its or another's";
    case INLINED_UNCLEAN:
        return "nothing that it calls has a frame, and what stands beside it has none either";
    case INLINED_WITHIN:
        return "it lies in a lambda or in a generator";
    case INLINED_NOT_RUN:
    case INLINED_TOLD:
        break;
    }
    return NULL;
}
