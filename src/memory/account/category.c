/* SPDX-License-Identifier: Apache-2.0 */
#include "category.h"

#include "base/mem.h"

/* By row of the device, from its first: the flags of the last event of which frames are recorded. In heap memory. */
static uint16_t *flags_by_row(const struct memory_lives *lives)
{
    const struct memory_log *log = lives->log;
    const size_t first = memory_first_row(log, lives->device), end = memory_end_row(log, lives->device);
    uint16_t *flags = mem_alloc((end - first + 1) * sizeof *flags), last = 0;
    for (size_t i = first; i < end; i++) {
        const struct memory_context *context = &log->contexts[log->events[i].context];
        if (context->recorded)
            last = context->flags;
        flags[i - first] = last;
    }
    return flags;
}

static enum memory_category of_backward(const struct memory_life *life, const struct memory_steps *steps)
{
    if (steps->optimizers)
        return memory_optimizer_between(steps, life->born, life->died) ? CATEGORY_GRADIENTS : CATEGORY_BACKWARD;
    const uint32_t born = memory_step_at(steps, life->born), died = memory_step_at(steps, life->died);
    return life->died == LIFE_AFTER || (born != MEMORY_NONE && died != born) ? CATEGORY_GRADIENTS : CATEGORY_BACKWARD;
}

/* Freed in a backward, or made by a module and still there when the history ends, with no optimizer in between. */
static bool is_activation(const struct memory_life *life, unsigned made_in, const struct memory_steps *steps,
                          unsigned freed_in)
{
    if (life->died != LIFE_AFTER)
        return freed_in & FRAME_IN_BACKWARD && !memory_optimizer_between(steps, life->born, life->died);
    return made_in & FRAME_IN_FORWARD && life->born >= 0 && !memory_optimizer_between(steps, life->born, life->died);
}

static void categorise(struct memory_life *life, const struct memory_log *log, const struct memory_steps *steps,
                       unsigned freed_in)
{
    const struct memory_context *context = &log->contexts[life->context];
    life->told = TOLD_BY_STACK;
    if (!context->recorded && life->born == LIFE_BEFORE) {
        life->category = CATEGORY_BEFORE;
        life->told = TOLD_BY_NOTHING;
    } else if (context->flags & FRAME_IN_OPTIMIZER)
        life->category = CATEGORY_OPTIMIZER;
    else if (context->flags & FRAME_MOVES_MODULE)
        life->category = CATEGORY_PARAMETERS;
    else {
        life->told = TOLD_BY_LIFE;
        life->category = context->flags & FRAME_IN_BACKWARD                     ? of_backward(life, steps)
                         : is_activation(life, context->flags, steps, freed_in) ? CATEGORY_ACTIVATIONS
                                                                                : CATEGORY_OTHER;
    }
}

/* What the program said of its objects at the end is of what lives then. */
static void take_owners(struct memory_lives *lives, const struct map *owners)
{
    static const uint8_t categories[] = {
        [MEMORY_PARAMETER] = CATEGORY_PARAMETERS,
        [MEMORY_OPTIMIZER] = CATEGORY_OPTIMIZER,
        [MEMORY_GRADIENT] = CATEGORY_GRADIENTS,
    };
    const struct memory_log *log = lives->log;
    for (size_t i = 0; i < lives->count && owners->count; i++) {
        struct memory_life *life = &lives->at[i];
        const uint32_t owner = life->died == LIFE_AFTER ? map_get(owners, life->address) : MAP_NONE;
        if (owner == MAP_NONE)
            continue;
        life->category = categories[log->owners[owner].role];
        life->name = log->owners[owner].name;
        life->told = TOLD_BY_OBJECT;
    }
}

void memory_categorise(struct memory_lives *lives, const struct memory_steps *steps, const struct map *owners)
{
    uint16_t *flags = flags_by_row(lives);
    const int64_t first = (int64_t)memory_first_row(lives->log, lives->device);
    for (size_t i = 0; i < lives->count; i++) {
        struct memory_life *life = &lives->at[i];
        categorise(life, lives->log, steps, life->died == LIFE_AFTER ? 0 : flags[life->died - first]);
    }
    take_owners(lives, owners);
    mem_free(flags);
}

const char *memory_category_word(enum memory_category category)
{
    static const char *const words[CATEGORIES] = {
        [CATEGORY_PARAMETERS] = "parameters",     [CATEGORY_OPTIMIZER] = "optimizer",
        [CATEGORY_GRADIENTS] = "gradients",       [CATEGORY_ACTIVATIONS] = "activations",
        [CATEGORY_BACKWARD] = "backward",         [CATEGORY_OTHER] = "other",
        [CATEGORY_BEFORE] = "before the history",
    };
    return words[category];
}
