/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of operators say, judged once each: a step has thousands of calls and a hundred names. */
#ifndef PROGRAM_NAMES_H
#define PROGRAM_NAMES_H

#include "base/map.h"
#include "program.h"

struct name_facts {
    uint8_t family, phase; /* enum family, enum phase; PHASE_NONE: the name says nothing */
    bool label;            /* a name that code gives a stretch of itself: "## forward ##"; never that of an operator */
    bool step;             /* "ProfilerStep#3": the whole step, which is neither operator nor label */
    bool has_cost;         /* its work follows from its arguments */
};

/* A zeroed struct knows no name yet. */
struct program_names {
    struct map index; /* of the address of a text */
    struct name_facts *facts;
    size_t count, room;
};

/*
 * The name is interned: one address for one text, for as long as the struct is used.
 * The pointer holds until the next call.
 */
const struct name_facts *program_name(struct program_names *names, str name);
void program_names_free(struct program_names *names);

/* Whether any text is the name of a step, judged again. */
bool program_names_step(str name);

/* An operator that cannot be predicted for lack of its arguments. */
static inline bool program_wants_shapes(struct program_names *names, const struct program_op *op)
{
    return !op->label && !op->arguments.dims.len && program_name(names, op->name)->has_cost;
}

#endif
