/* SPDX-License-Identifier: Apache-2.0 */
#include "category.h"

#include "base/mem.h"

/* By row: the flags of the last event of the device of which frames are recorded. */
static uint16_t *flags_by_row(const struct memory_lives *lives)
{
    const struct memory_log *log = lives->log;
    uint16_t *flags = mem_alloc((log->event_count + 1) * sizeof *flags), last = 0;
    for (size_t i = 0; i < log->event_count; i++) {
        const struct memory_context *context = &log->contexts[log->events[i].context];
        if (log->events[i].device == lives->device && context->recorded)
            last = context->flags;
        flags[i] = last;
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
                          const uint16_t *flags)
{
    if (life->died != LIFE_AFTER)
        return flags[life->died] & FRAME_IN_BACKWARD && !memory_optimizer_between(steps, life->born, life->died);
    return made_in & FRAME_IN_FORWARD && life->born >= 0 && !memory_optimizer_between(steps, life->born, life->died);
}

static void categorise(struct memory_life *life, const struct memory_log *log, const struct memory_steps *steps,
                       const uint16_t *flags)
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
        life->category = context->flags & FRAME_IN_BACKWARD                  ? of_backward(life, steps)
                         : is_activation(life, context->flags, steps, flags) ? CATEGORY_ACTIVATIONS
                                                                             : CATEGORY_OTHER;
    }
}

/* What the program said of its objects at the end is of what lives then. */
static void take_owners(struct memory_lives *lives)
{
    static const uint8_t categories[] = {
        [MEMORY_PARAMETER] = CATEGORY_PARAMETERS,
        [MEMORY_OPTIMIZER] = CATEGORY_OPTIMIZER,
        [MEMORY_GRADIENT] = CATEGORY_GRADIENTS,
    };
    const struct memory_log *log = lives->log;
    struct map owners = {0};
    for (size_t i = 0; i < log->owner_count; i++)
        if (log->owners[i].role != MEMORY_NO_ROLE)
            map_put(&owners, log->owners[i].address, (uint32_t)i);
    for (size_t i = 0; i < lives->count && log->owner_count; i++) {
        struct memory_life *life = &lives->at[i];
        const uint32_t owner = life->died == LIFE_AFTER ? map_get(&owners, life->address) : MAP_NONE;
        if (owner == MAP_NONE)
            continue;
        life->category = categories[log->owners[owner].role];
        life->name = log->owners[owner].name;
        life->told = TOLD_BY_OBJECT;
    }
    map_free(&owners);
}

void memory_categorise(struct memory_lives *lives, const struct memory_steps *steps)
{
    uint16_t *flags = flags_by_row(lives);
    for (size_t i = 0; i < lives->count; i++)
        categorise(&lives->at[i], lives->log, steps, flags);
    take_owners(lives);
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
