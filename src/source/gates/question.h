/* SPDX-License-Identifier: Apache-2.0 */
/* What a test asks of values, and which values come to it: the parts of ways.h. */
#ifndef SOURCE_QUESTION_H
#define SOURCE_QUESTION_H

#include "ways.h"

/* What is asked of each value that may come. */
enum asked {
    ASKS_TRUE,  /* `if x` */
    ASKS_THERE, /* `if x is not None` */
    ASKS_EQUAL, /* `if x == "sum"` */
    ASKS_ORDER, /* `if x > 0`: the operator is that of the comparison around `constant` */
    ASKS_KIND,  /* `if isinstance(x, list)` */
};

struct question {
    const struct project *project;
    enum asked asked;
    struct site test;     /* that asks */
    struct site constant; /* of ASKS_EQUAL, ASKS_ORDER */
    uint32_t kinds;       /* of ASKS_KIND: bits of enum value_kind */
    uint32_t values;      /* left to look at */
    bool beside;          /* something stands around the way that is looked at, or another test beside it */
    bool stopped;
};

static const struct ways ways_hold = {.yes = true}, ways_hold_not = {.no = true}, ways_unknown = {.unknown = true},
                         ways_either = {.yes = true, .no = true};

static inline struct ways ways_if(bool holds)
{
    return holds ? ways_hold : ways_hold_not;
}

static inline bool ways_may_hold(const struct ways *ways)
{
    return ways->yes || ways->unknown;
}

/* Constants that can be compared by their text. */
bool answer_is_constant(enum syntax_kind kind);
/* `2`, `-0.5` */
bool answer_number(const struct syntax *tree, uint32_t node, double *number);
/* The bits of `list`, `torch.Tensor`, `(list, tuple)`; 0 where a class is among them of which nothing is told here. */
uint32_t answer_kinds(const struct project *project, struct site type);
/* Of a value that is followed no further. */
struct ways answer_of(const struct question *question, struct site value);
/* Of something of which only that it is there is known. */
struct ways answer_something(const struct question *question);

/* Of a value, followed to where it comes from: at most so many values, and so deep. */
enum { WAYS_DEEPEST = 12, WAYS_VALUES = 512 };
struct ways ways_of_value(struct question *question, struct site value, int depth);
/* Of `args.name`, `self.cfg.name`: an option that the program declares, of options.c. */
struct ways ways_of_declared(struct question *question, struct site attribute, int depth);
/* Of `hasattr(args, "name")`, `getattr(args, "name", default)`, a setting that nothing gives; else unknown. */
struct ways ways_of_unset(struct question *question, struct site call, int depth);
/* Of a test, or of a value that is one. */
struct ways ways_of_condition(struct question *question, struct site test, int depth);
/* Whether one more value may be looked at. */
bool ways_spend(struct question *question, bool too_far);
/* Of a value around whose way a gate stands. */
struct ways ways_behind(struct question *question, struct site value, int depth, enum gate around);
/*
 * Whether no further way makes another answer: on one of those that were looked at nobody knows, and nothing stands around
 * that. So a test of what hundreds of callers give ends at the first of which nobody knows.
 */
static inline bool ways_settled(const struct question *question, const struct ways *ways)
{
    return ways->unknown && ways->gate == GATE_NONE && !question->beside;
}
/* More ways, on all of which the gate stands around. */
void ways_add(struct ways *ways, const struct ways *more, enum gate around);

#endif
