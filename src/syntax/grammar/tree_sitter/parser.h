/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What generated parsers of today expect beyond the parser.h of runtimes before
 * 0.22: sets of characters as sorted ranges, a state table walked by a loop, and
 * reductions without names for their last two figures.
 */
#ifndef STEPTIME_TREE_SITTER_PARSER_H
#define STEPTIME_TREE_SITTER_PARSER_H

#include_next "tree_sitter/parser.h"

#ifndef ADVANCE_MAP

typedef struct {
    int32_t start, end; /* both inside */
} TSCharacterRange;

/* Whether one of the ranges, which ascend, holds the character. */
static inline bool set_contains(const TSCharacterRange *ranges, uint32_t count, int32_t character)
{
    uint32_t from = 0, to = count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (character > ranges[middle].end)
            from = middle + 1;
        else if (character < ranges[middle].start)
            to = middle;
        else
            return true;
    }
    return false;
}

/* Pairs of a character and the state to go to; falls through where none fits. */
#define ADVANCE_MAP(...) \
    { \
        static const uint16_t pairs[] = {__VA_ARGS__}; \
        for (uint32_t pair = 0; pair < sizeof pairs / sizeof *pairs; pair += 2) \
            if (pairs[pair] == lookahead) { \
                state = pairs[pair + 1]; \
                goto next_state; \
            } \
    }

#undef REDUCE
#define REDUCE(symbol_value, children, precedence, production) \
    { \
        { \
            .reduce = { \
                .type = TSParseActionTypeReduce, \
                .symbol = symbol_value, \
                .child_count = children, \
                .dynamic_precedence = precedence, \
                .production_id = production, \
            }, \
        } \
    }

#endif
#endif
