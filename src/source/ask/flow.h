/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which definition a name has where it is used, and where a value goes.
 *
 * A definition is one place that binds a name in a function: assignment,
 * parameter, loop target, import, with ... as, except ... as, del. Where two
 * ways meet (after an if, at the head of a loop) a use has several.
 *
 * Definitions are numbered in a file. Attributes of self are no names: attribute_* below.
 */
#ifndef SOURCE_FLOW_H
#define SOURCE_FLOW_H

#include "source/flow/definition.h"
#include "project.h"

/* All definitions that may reach this use (a SYN_NAME that is read); fills at most `room`, returns how many there are,
 * or room + 1 for more than fit. More than FLOW_MOST_DEFINITIONS are told as a limit to who asks for so many. */
enum { FLOW_MOST_DEFINITIONS = 64 };
uint32_t flow_definitions(const struct project *project, struct site use, const struct definition **found,
                          uint32_t room);
/* The one definition that reaches it; NULL where there are several or none that is known. */
const struct definition *flow_definition(const struct project *project, struct site use);
/* The definition that this binding name makes; NULL. */
const struct definition *flow_bound(const struct project *project, struct site name);

/* Whether a loss is computed from what the name holds here, or it is one that backward() starts from. */
bool flow_trains(const struct project *project, struct site use);

/* Names that may read this definition, as nodes of its file in order; fills at most `room` (itself at most
 * FLOW_MOST_USES), returns how many there are, or FLOW_MOST_USES + 1 for more than that: then some are not listed, which
 * is told as a limit to who asks for so many. */
uint32_t flow_uses(const struct project *project, uint32_t file, const struct definition *definition, uint32_t *uses,
                   uint32_t room);
/* Names in functions within that one (of the file, where it is a variable of the module) that read the same variable. */
uint32_t flow_inner_uses(const struct project *project, uint32_t file, const struct definition *definition,
                         uint32_t *uses, uint32_t room);
/* Whether a nested function, a global or an attribute of the name may see it: uses are then not all uses. */
bool flow_escapes(const struct project *project, uint32_t file, const struct definition *definition);

/* ---- where the value of an expression goes ---- */

enum fate {
    FATE_NONE = 0,            /* nowhere: it is never read (dead) */
    FATE_CONTROL = 1 << 0,    /* test of if, while, assert, and/or, conditional; comparison whose result goes there */
    FATE_PRINT = 1 << 1,      /* print, logging, progress bars, writers, wandb; f-strings that go there */
    FATE_SUM = 1 << 2,        /* total += value, total = total + value: adding up over a loop */
    FATE_RETURN = 1 << 3,     /* return, yield */
    FATE_KEPT = 1 << 4,       /* append, extend, dict[k] = value, attribute of self */
    FATE_UPLOAD = 1 << 5,     /* back to the device */
    FATE_NUMPY = 1 << 6,      /* an argument of numpy, scipy, sklearn, pandas */
    FATE_PYTHON = 1 << 7,     /* iterated over, indexed, or in a comprehension or Python loop on the host */
    FATE_CALL = 1 << 8,       /* argument of a function that is not looked into */
    FATE_ARITHMETIC = 1 << 9, /* operand of an operator (whose own fate is added too) */
    FATE_OTHER = 1 << 10,
    FATE_INDEX = 1 << 11,    /* used as index, slice bound, size or range() */
    FATE_RAISE = 1 << 12,    /* in raise or the message of an assert */
    FATE_BACKWARD = 1 << 13, /* .backward() */
};

/* The fates of the value of an expression, followed through names, arithmetic and conversions of the same function. */
uint32_t flow_fate(const struct project *project, struct site expression);

/* ---- loops ---- */

/* Whether it gives the same in every round of the loop: no name or attribute in it changes there, and it is pure. */
bool flow_invariant(const struct project *project, struct site expression, uint32_t loop);
/* Whether evaluating it has no effect beside its value and does not depend on random numbers, time or files. */
bool flow_pure(const struct project *project, struct site expression);
/* Whether the call is of a public function that makes a result of its arguments and does nothing else. */
bool flow_only_computes(const struct project *project, struct site call);
/* Whether anything below node `within` may bind or change the name, or `self.x`, that the expression is. */
bool flow_changes(const struct project *project, struct site expression, uint32_t within);

/* Whether this use of a name changes what it holds in place: `x[i] = v`, `x.add_(y)`, `x += y`, `x.append(v)`. */
bool flow_use_changes(const struct project *project, struct site use);

/* ---- attributes of self ---- */

/* All places in the run where an attribute of the class (its bases and descendants too) is bound: nodes `self.x`. */
uint32_t attribute_bindings(const struct project *project, uint32_t class_id, str name, struct site *found,
                            uint32_t room);
/* All places there where a method of it is called: calls `self.x.method(...)`. */
uint32_t attribute_calls(const struct project *project, uint32_t class_id, str name, struct site *found, uint32_t room);

#endif
