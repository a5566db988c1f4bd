/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of operators by name or id: gone, or so many times as long. */
#include "base/map.h"
#include "change.h"

/* ---- --remove OP ---- */

static uint32_t remove_launches(struct plan *plan, const struct plan_op *op, str name)
{
    uint32_t removed = 0;
    for (uint32_t i = 0; i < op->launches; i++) {
        struct plan_launch *launch = &plan->launches[op->first_launch + i];
        if (launch->gone || !change_launch_fits(plan, launch, name))
            continue;
        launch->gone = true;
        launch->wait_stream = WAITS_FOR_NOTHING;
        removed++;
    }
    return removed;
}

static uint32_t remove_named(struct plan *plan, str name)
{
    uint32_t removed = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        struct plan_op *op = &plan->ops[i];
        if (op->gone)
            continue;
        op->gone = change_op_fits(plan, op, name);
        removed += op->gone ? 1 : remove_launches(plan, op, name);
    }
    return removed;
}

bool change_remove(struct changing *changing)
{
    uint32_t removed = 0;
    for (uint32_t i = 0; i < changing->question->remove_count; i++) {
        const uint32_t here = remove_named(changing->plan, changing->question->remove[i]);
        if (!change_meet(changing, i, here))
            return false;
        removed += here;
    }
    change_tell(changing, str_printf(changing->arena, "--remove: %u operators and launches are gone", removed));
    return true;
}

/* ---- --without ID... ---- */

enum { SAME_PLACE = 16 }; /* waits beside each other that may stand at one place */

/* The id, and where it is a launch call of the trace also the device work that it caused. */
static void ask_for(struct map *ids, const struct trace *trace, int64_t id)
{
    if (id < 0 || id > UINT32_MAX)
        return;
    map_put(ids, id, 1);
    if (!trace || id >= trace->count || trace->kind[id] != EVENT_RUNTIME)
        return;
    const struct rows work = trace_caused(trace, (uint32_t)id);
    for (uint32_t i = 0; i < work.count; i++)
        map_put(ids, work.at[i], 1);
}

static bool is_asked(const struct map *ids, int64_t id)
{
    return id >= 0 && map_get(ids, id) != MAP_NONE;
}

/* The operator that made the launch, or one around it, is asked for; or the device work itself. */
static bool launch_is_asked(const struct plan *plan, const struct plan_launch *launch, const struct map *ids)
{
    const struct program *program = plan->program;
    if (launch->source == PLAN_NONE)
        return false;
    const struct program_launch *recorded = &program->launches[launch->source];
    if (is_asked(ids, recorded->row))
        return true;
    for (uint32_t op = recorded->op; op != OP_NONE; op = program->ops[op].parent)
        if (is_asked(ids, program->ops[op].id))
            return true;
    return false;
}

/* An operator goes with its labels, too. */
static bool op_is_asked(const struct plan *plan, const struct plan_op *op, const struct map *ids)
{
    for (uint32_t at = op->op; at != OP_NONE; at = plan->program->ops[at].parent)
        if (is_asked(ids, plan->program->ops[at].id))
            return true;
    return false;
}

static uint32_t take_out(struct plan *plan, struct plan_op *op, const struct map *ids)
{
    if (op->gone)
        return 0;
    op->gone = op_is_asked(plan, op, ids);
    uint32_t gone = op->gone;
    for (uint32_t i = 0; i < op->launches && !op->gone; i++) {
        struct plan_launch *launch = &plan->launches[op->first_launch + i];
        if (launch->gone || !launch_is_asked(plan, launch, ids))
            continue;
        launch->gone = true;
        gone++;
    }
    return gone;
}

/* Waits that stand at the same place are one: it is gone when all of them are, and no copy waits there. */
static bool other_holds(const struct plan *plan, const struct map *ids, uint32_t wait)
{
    const struct program *program = plan->program;
    const struct plan_place *at = &plan->places[wait];
    if (at->launch != PLAN_NONE && plan->launches[at->launch].source != PLAN_NONE &&
        program->launches[plan->launches[at->launch].source].blocking)
        return true;
    const uint32_t first = wait > SAME_PLACE ? wait - SAME_PLACE : 0;
    for (uint32_t i = first; i < program->sync_count && i < wait + SAME_PLACE; i++)
        if (plan->places[i].op == at->op && plan->places[i].launch == at->launch &&
            !is_asked(ids, program->syncs[i].row))
            return true;
    return false;
}

static uint32_t take_waits(struct plan *plan, const struct map *ids)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; plan->places && i < plan->program->sync_count; i++) {
        if (!is_asked(ids, plan->program->syncs[i].row) || other_holds(plan, ids, i))
            continue;
        *plan_wait_at(plan, &plan->places[i]) = WAITS_FOR_NOTHING;
        gone++;
    }
    return gone;
}

/* Whether an event of the trace, or else a thing of the program, has the id. */
static bool id_exists(const struct changing *changing, int64_t id)
{
    const struct program *program = changing->plan->program;
    if (changing->context->trace)
        return id < changing->context->trace->count;
    for (uint32_t i = 0; i < program->count; i++)
        if (program->ops[i].id == id)
            return true;
    for (uint32_t i = 0; i < program->launch_count; i++)
        if (program->launches[i].row == id)
            return true;
    return false;
}

static bool ids_exist(struct changing *changing)
{
    const struct question *question = changing->question;
    const uint32_t first = question_names(question) - question->without_count;
    for (uint32_t i = 0; i < question->without_count; i++)
        if (!change_meet(changing, first + i, id_exists(changing, question->without[i])))
            return false;
    return true;
}

bool change_without_ids(struct changing *changing)
{
    struct map ids = {0};
    uint32_t gone = 0;
    if (!ids_exist(changing))
        return false;
    for (uint32_t i = 0; i < changing->question->without_count; i++)
        ask_for(&ids, changing->context->trace, changing->question->without[i]);
    for (uint32_t i = 0; i < changing->plan->count; i++)
        gone += take_out(changing->plan, &changing->plan->ops[i], &ids);
    gone += take_waits(changing->plan, &ids);
    map_free(&ids);
    change_tell(changing, str_printf(changing->arena, "--without: %u operators, launches and waits are gone", gone));
    return true; /* the events may lie in another step */
}

/* ---- --scale OP=X ---- */

static uint32_t scale_named(struct plan *plan, const struct question_scale *scale)
{
    uint32_t scaled = 0;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        struct plan_launch *launch = &plan->launches[i];
        if (!change_is_live(plan, launch) || !change_launch_fits(plan, launch, scale->name))
            continue;
        change_suppose(launch, scale->factor);
        scaled++;
    }
    return scaled;
}

bool change_scale(struct changing *changing)
{
    uint32_t scaled = 0;
    for (uint32_t i = 0; i < changing->question->scale_count; i++) {
        const uint32_t here = scale_named(changing->plan, &changing->question->scale[i]);
        if (!change_meet(changing, changing->question->remove_count + i, here))
            return false;
        scaled += here;
    }
    change_tell(changing, str_printf(changing->arena, "--scale: %u launches take another time", scaled));
    return true;
}
