/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that several families ask of the analysis, in the words of the rules. */
#ifndef RULES_ASK_H
#define RULES_ASK_H

#include "level.h"
#include "rule.h"
#include "source/contexts/context.h"
#include "source/ask/flow.h"
#include "source/ask/name.h"
#include "source/ask/project.h"
#include "source/ask/summary.h"
#include "source/ask/value_at.h"

/* Never NULL; &value_unknown for SYNTAX_NONE. */
static inline const struct value *ask_value(const struct check *check, uint32_t node)
{
    return node == SYNTAX_NONE ? &value_unknown : value_at(check->project, check_site(check, node));
}

static inline bool ask_gpu_tensor(const struct check *check, uint32_t node)
{
    return value_gpu_tensor(ask_value(check, node));
}

static inline bool ask_named(const struct check *check, uint32_t node, const char *qualified)
{
    return name_is(check->project, check_site(check, node), qualified);
}

/* The last name of what is called: "item" of x.item(); "" of what is no call. */
str ask_tail(const struct check *check, uint32_t call);
/* The x of x.method(...); SYNTAX_NONE where the call is no call of a method. */
uint32_t ask_receiver(const struct check *check, uint32_t call);
/* self.x */
bool ask_own_attribute(const struct syntax *tree, uint32_t node);
/* What x is a view, part or copy of: of `x[0].view(-1).detach()` x itself. */
uint32_t ask_root(const struct check *check, uint32_t node);
/* One step towards it; the node itself where there is none. */
uint32_t ask_step(const struct check *check, uint32_t node);
/* The summary of the function around the node; NULL at module level. */
const struct summary *ask_summary_around(const struct check *check, uint32_t node);

/* The text of a node on one line, short enough for a message, fit for a terminal. */
str ask_text(const struct check *check, uint32_t node);
/* "each training step", "each evaluation step", ... : how often the node runs. */
const char *ask_often(const struct check *check, uint32_t node);

/* Whether the node runs often enough to speak of: not once at set-up, nor once an epoch. */
bool ask_matters(const struct check *check, uint32_t node);

/* A file of tests: what it trains runs for a few steps. */
bool ask_is_test_file(const struct check *check);
/* Whether the function around the node evaluates: it calls .eval() itself and trains nothing. */
bool ask_evaluates(const struct check *check, uint32_t node);
/* Whether the function takes host data to the device and hands an answer back, outside of training: policies. */
bool ask_answers_host(const struct check *check, uint32_t node);

/*
 * Whether what the definition binds is changed in place (`x[i] = v`, `x.add_(y)`, `x += y`) by a use that stands
 * behind node `after` and before node `before`. Of too many uses it is said to be.
 */
bool ask_changed(const struct check *check, const struct definition *definition, uint32_t after, uint32_t before);

/* `[n]`, `(a, b)`: a row of a few numbers, written down: there is no list to walk, and no batch to pin. */
bool ask_few_numbers(const struct check *check, uint32_t node);

/* Of more bindings of an attribute nothing is asked, which is told. */
enum { ASK_MOST_BINDINGS = 256 };
extern const struct limit ask_many_bindings;

/* Whether some node of the subtree satisfies the test. */
bool ask_any(const struct check *check, uint32_t node, bool (*test)(const struct check *check, uint32_t node));

#endif
