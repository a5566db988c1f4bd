/* SPDX-License-Identifier: Apache-2.0 */
/* What the moves of a place have in common, and with those of others. Marks groups; see doc/numbers/movement.md. */
#ifndef EVIDENCE_PATTERN_H
#define EVIDENCE_PATTERN_H

#include "group.h"

enum pattern {
    PATTERN_REPEATED,      /* copies of the same sizes in every step, of at least two */
    PATTERN_ROUND_TRIP,    /* read from the device, and as many bytes sent back later in the step; on either */
    PATTERN_ECHO,          /* sent to the device, and as many bytes read back later in the step; on either */
    PATTERN_MANY_SMALL,    /* most of its copies are among at least four in a row of at most 64 KiB */
    PATTERN_SCALAR,        /* reads one number: aten::item and its like */
    PATTERN_DYNAMIC_SHAPE, /* reads a size, where the shape of a result depends on values: aten::nonzero */
    PATTERN_LOOP,          /* ten or more in one run of a function, one after another */
    PATTERN_GROWING,       /* device to device under aten::cat, larger each time within a step */
    PATTERNS,
};

static inline bool group_has(const struct move_group *group, enum pattern pattern)
{
    return group->patterns >> pattern & 1;
}

void find_patterns(struct move_groups *groups, const struct movement *movement, const struct trace *trace);

#endif
