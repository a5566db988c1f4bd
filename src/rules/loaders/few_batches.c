/* SPDX-License-Identifier: Apache-2.0 */
#include "few_batches.h"

enum { FEW = 50 };

/* A number that is written there, or that a name is bound to, in 1 .. FEW. A part of all (0.1) is no count. */
static bool is_few(const struct check *check, uint32_t node)
{
    if (syntax_is(check->tree, node, SYN_NAME)) {
        const struct definition *definition = flow_definition(check->project, check_site(check, node));
        node = definition && definition->kind == DEFINED_ASSIGN ? definition->value : SYNTAX_NONE;
    }
    if (!syntax_is(check->tree, node, SYN_INTEGER))
        return false;
    const str text = syntax_text(check->tree, node);
    int count = 0;
    for (size_t i = 0; i < text.len && count < FEW; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        count = 10 * count + (text.at[i] - '0');
    }
    return count > 0 && count < FEW;
}

/* The argument of a call that limits the batches; SYNTAX_NONE. */
static uint32_t limit_of(const struct check *check, uint32_t call)
{
    static const char *const counts[] = {"limit_train_batches", "train_subset_num_batches", "max_steps",
                                         "fast_dev_run"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint32_t given = syntax_argument(check->tree, call, UINT32_MAX, counts[i]);
        const bool once = i == 3 && syntax_is(check->tree, given, SYN_TRUE);
        if (given != SYNTAX_NONE && (once || is_few(check, given)))
            return given;
    }
    return SYNTAX_NONE;
}

static bool is_trainer(const struct check *check, uint32_t node)
{
    return syntax_is(check->tree, node, SYN_CALL) && str_ends(ask_tail(check, node), S("Trainer"));
}

/* The name that the loader is bound to; SYNTAX_NONE. */
static uint32_t name_of_loader(const struct check *check, uint32_t loader)
{
    const uint32_t statement = check->tree->parent[loader];
    const uint32_t target = syntax_is(check->tree, statement, SYN_ASSIGN) ? syntax_first(check->tree, statement) : 0;
    return target && syntax_is(check->tree, target, SYN_NAME) ? target : SYNTAX_NONE;
}

static bool takes(const struct check *check, uint32_t trainer, uint32_t name)
{
    const uint32_t arguments = syntax_child(check->tree, trainer, 1);
    for (uint32_t at = arguments; at < syntax_last(check->tree, arguments); at++)
        if (name != SYNTAX_NONE && syntax_is(check->tree, at, SYN_NAME) &&
            syntax_same(check->tree, at, check->tree, name))
            return true;
    return false;
}

uint32_t few_batches_said(const struct check *check, uint32_t loader)
{
    const uint32_t name = name_of_loader(check, loader);
    uint32_t said = SYNTAX_NONE, told = SYNTAX_NONE;
    bool all = true, of_it = false;
    for (uint32_t node = 0; node < check->tree->count; node++) {
        if (!is_trainer(check, node))
            continue;
        const uint32_t limit = limit_of(check, node);
        if (takes(check, node, name)) {
            if (limit == SYNTAX_NONE)
                return SYNTAX_NONE;
            of_it = true;
            told = limit;
        }
        all &= limit != SYNTAX_NONE;
        said = limit;
    }
    return of_it ? told : all ? said : SYNTAX_NONE;
}

bool few_batches_trains_on(const struct check *check, uint32_t call, uint32_t loader)
{
    return is_trainer(check, call) && takes(check, call, name_of_loader(check, loader));
}
