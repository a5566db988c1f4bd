/* SPDX-License-Identifier: Apache-2.0 */
#include "dry.h"

#include "base/map.h"
#include "drain.h"
#include "rules/loaders/few_batches.h"
#include "rules/loaders/loader.h"
#include "rules/loaders/loader_use.h"

static const char *const idle =
    "no worker loads, and the step has ended in a wait: the device is idle when the copy begins (see ST604)";

static const char *const drained =
    "each step over it ends in this wait: the device is idle when a batch is copied, and pinned memory pays once that "
    "wait is gone";

bool dry_is(const struct match *match)
{
    return match->broken[LINK_GAIN].why == idle;
}

static bool has_no_workers(const struct check *check, uint32_t loader)
{
    const uint32_t workers = loader_argument(check, loader, LOADER_NUM_WORKERS);
    return !syntax_arguments_hidden(check->tree, loader) &&
           (workers == SYNTAX_NONE ||
            (syntax_is(check->tree, workers, SYN_INTEGER) && str_eq(syntax_text(check->tree, workers), S("0"))));
}

/* ---- where its steps are ---- */

/* Composer reads the loss of each batch; but of one that it parts, each part is copied beside the one before. */
static bool waits_each_step(const struct check *check, uint32_t trainer)
{
    return name_under(check->project, check_site(check, trainer), "composer.") &&
           syntax_argument(check->tree, trainer, UINT32_MAX, "device_train_microbatch_size") == SYNTAX_NONE &&
           !syntax_arguments_hidden(check->tree, trainer);
}

/* A trainer that is given the loader and waits in each step; all of them have to. */
static struct site waiting_trainer(const struct check *check, uint32_t loader)
{
    struct site found = site_none;
    for (uint32_t node = 0; node < check->tree->count; node++) {
        if (!few_batches_trains_on(check, node, loader))
            continue;
        if (!waits_each_step(check, node))
            return site_none;
        found = check_site(check, node);
    }
    return found;
}

/* The wait at the end of the steps; site_none. */
static struct site step_ends_in(const struct check *check, struct site loop)
{
    return drain_behind_round(check, loop).wait;
}

/* The loop of steps: over the loader itself, or around the next() that takes a batch of it; site_none. */
static struct site loop_of(const struct check *check, struct site trained_at)
{
    const struct syntax *tree = project_tree(check->project, trained_at.file);
    if (tree->kind[trained_at.node] == SYN_FOR)
        return trained_at;
    const uint32_t loop = context_of(check->project, trained_at).step_loop;
    return syntax_is(tree, loop, SYN_FOR) || syntax_is(tree, loop, SYN_WHILE) ? (struct site){trained_at.file, loop}
                                                                              : site_none;
}

/* That of the steps in which its batches are copied; site_none. */
static struct site behind_steps(const struct check *check, uint32_t loader)
{
    const struct loader_use use = loader_use_of(check, loader);
    if (!use.trains || site_is_none(use.trained_at))
        return site_none;
    const struct site loop = loop_of(check, use.trained_at);
    return site_is_none(loop) ? site_none : step_ends_in(check, loop);
}

static struct site waited_for(const struct check *check, uint32_t loader)
{
    const struct loader_use use = loader_use_of(check, loader);
    return !use.trains || site_is_none(use.trained_at) ? waiting_trainer(check, loader) : behind_steps(check, loader);
}

/* ---- copies ---- */

static bool is_copy(const struct match *match)
{
    return match->upload && match->level != LEVEL_NOTE && !match->broken[LINK_GAIN].why &&
           str_is_among("ST502 ST602", str_of(match->rule->id));
}

/* Loops of steps over a loader without workers, of this file; to the node of the wait at their end, where it is here. */
static void find_loops(const struct check *check, struct map *loops)
{
    for (uint32_t node = 0; node < check->tree->count; node++) {
        if (!loader_is(check, node) || !has_no_workers(check, node))
            continue;
        const struct site loop = loader_use_of(check, node).trained_at;
        if (loop.file != check->file || !syntax_is(check->tree, loop.node, SYN_FOR) ||
            map_get(loops, loop.node) != MAP_NONE)
            continue;
        const struct site wait = step_ends_in(check, loop);
        if (!site_is_none(wait) && wait.file == check->file)
            map_put(loops, loop.node, wait.node);
    }
}

static void break_copies(const struct check *check, struct match *matches, uint32_t count)
{
    struct map loops = {0};
    struct drains *drains = NULL;
    find_loops(check, &loops);
    for (uint32_t i = 0; i < count && loops.count; i++) {
        if (!is_copy(&matches[i]))
            continue;
        const uint32_t loop = context_of(check->project, check_site(check, matches[i].upload)).step_loop;
        const uint32_t wait = loop == SYNTAX_NONE ? MAP_NONE : map_get(&loops, loop);
        if (wait == MAP_NONE)
            continue;
        if (!drains)
            drains = drains_new(check, matches, count);
        if (drain_nothing_since(drains, i))
            match_break_by_order(&matches[i], idle, check_site(check, wait));
    }
    if (drains)
        drains_free(drains);
    map_free(&loops);
}

void dry_break(const struct check *check, struct match *matches, uint32_t count)
{
    bool copies = false;
    for (uint32_t i = 0; i < count; i++) {
        struct match *match = &matches[i];
        copies |= is_copy(match);
        if (!match->of_run || match->broken[LINK_GAIN].why || !str_eq(str_of(match->rule->id), S("ST602")) ||
            !loader_is(check, match->node))
            continue;
        const bool alone = has_no_workers(check, match->node);
        const struct site wait = alone ? waited_for(check, match->node) : behind_steps(check, match->node);
        if (!site_is_none(wait))
            match_break_by_order(match, alone ? idle : drained, wait);
    }
    if (copies)
        break_copies(check, matches, count);
}
