/* SPDX-License-Identifier: Apache-2.0 */
#include "host_model.h"

#include "rules/ask/ask.h"
#include "syntax/syntax.h"

/* Of ST201, by what the list holds and by who makes the tensor. */
static const struct host_model of_arrays = {
    0.90, 0.95, 0.97, 14000, 10000, 4000, false, "leaves 3 to 10 % of it: NumPy joins arrays in one piece"};
static const struct host_model of_numbers_inferred = {
    0.72, 0.81, 0.87, 14000, 9000, 4000, false, "leaves 13 to 28 % of it: NumPy reads numbers once and faster"};
static const struct host_model of_numbers_typed = {
    0.50, 0.59, 0.67, 12000, 7000, 3000, false, "leaves 33 to 50 % of it: NumPy reads numbers faster"};
static const struct host_model of_anything = {
    -0.9, 0.5, 0.95, 14000, 9000, 3000, false, "leaves a part that depends on what the list holds, which is not known"};

/* By id, or the beginning of one; the first that fits. */
static const struct {
    const char *rule;
    struct host_model model;
} table[] = {
    {"ST101", {0.60, 0.90, 0.98, 0, 0, 0, true, "leaves the operators of one round for all"}},
    {"ST102", {0.60, 0.90, 0.98, 0, 0, 0, true, "leaves the operators of one row for all"}},
    {"ST103", {0.50, 0.85, 0.98, 0, 0, 0, true, "leaves the last copy of many"}},
    {"ST303",
     {0.00, 0.50, 1.00, 0, 0, 0, false, "spares it where a sample comes again, which so few steps do not show"}},
    {"ST401",
     {1, 1, 1, 9000, 5000, 2000, false, "puts three small operators there: on a CPU a read waits for nothing"}},
    {"ST405", {0.90, 1, 1, 0, 0, 0, false, "takes it away"}},
    {"ST409", {1, 1, 1, 12000, 6000, 2000, false, "puts one joint read there: on a CPU a read waits for nothing"}},
    {"ST501", {0.80, 1, 1, 0, 0, 0, false, "takes it out of the steps"}},
    {"ST601", {0.50, 1, 1, 0, 0, 0, false, "takes the copy away, which on a CPU copies nothing"}},
    {"ST604", {0.50, 0.85, 1, 0, 0, 0, false, "lets workers do it, and receives what they send"}},
};

/* Of all: NumPy, lists and arrays of 50 in 4 to 30 distinct ones, 0.04 to 0.07 is left. Of one, with the loop around it: 0.51 to 0.56. */
static const struct host_model look_up = {0.85, 0.93, 0.98, 0, 0, 0, false, "leaves one search for all values"};
static const struct host_model look_up_of_one = {
    0.35, 0.47, 0.60, 0, 0, 0, false, "leaves a search for each, and the loop around them"};
static const struct host_model hand_off = {0.50, 0.85, 1,     0,
                                           0,    0,    false, "lets workers do it, and receives what they send"};
static const struct host_model wait = {
    -0.2, 0, 0.2, 0, 0, 0, false, "changes how a copy waits, and within the host's memory none waits"};

/* Numbers of Python, however deep the lists nest; false of NumPy's and of what is not known. */
static const struct host_model *of_list(const struct lint *lint, const struct match *match)
{
    struct arena scratch = {0};
    const struct check check = lint_check(lint, match->file, &scratch);
    const struct value *item = ask_value(&check, match->captures[0]);
    for (int depth = 0; depth < 4 && value_is_container(item); depth++)
        item = value_item(item);
    const enum value_kind kind = item->kind;
    arena_free(&scratch);
    const bool inferred = str_eq(match->builtin, S("tensor")) || str_eq(match->builtin, S("as_tensor"));
    if (kind == VALUE_ARRAY)
        return &of_arrays;
    if (kind == VALUE_INT || kind == VALUE_FLOAT || kind == VALUE_BOOL)
        return inferred ? &of_numbers_inferred : &of_numbers_typed;
    return &of_anything;
}

const struct host_model *host_model_of(const struct lint *lint, const struct match *match)
{
    const str id = str_of(match->rule->id);
    const struct syntax *const tree = lint->files[match->file].tree;
    if (str_eq(id, S("ST201")))
        return match->capture_count ? of_list(lint, match) : &of_anything;
    if (str_eq(id, S("ST302")) && syntax_is(tree, match->node, SYN_SUBSCRIPT))
        return &look_up_of_one;
    if (str_eq(id, S("ST302")))
        return match->fix != FIX_NONE && syntax_is(tree, match->node, SYN_LIST_COMP) ? &look_up : &hand_off;
    if (str_starts(id, S("ST502")) || str_starts(id, S("ST602")) || str_starts(id, S("ST606")))
        return &wait;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (str_starts(id, str_of(table[i].rule)))
            return &table[i].model;
    return NULL;
}
