/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --reorder: work that does not need the result of a collective goes before work
 * that does, so that it runs while the collective is under way. Between one
 * collective and the next (or the next wait of the host), on one thread, what
 * depends on the collective keeps its order and comes after what does not.
 *
 * What depends on what follows from the tensors of an execution trace: an
 * operator depends on a collective when it touches what the collective, or one
 * that depends on it, writes, or writes what such a one reads. Without recorded
 * tensors nothing is known, and nothing is moved.
 */
#include "base/error.h"
#include "base/map.h"
#include "change.h"

enum touch { READ = 1, WRITTEN = 2 };

struct reordering {
    struct plan *plan;
    struct map touched; /* tensor to enum touch, by the collective and what depends on it */
    uint32_t *order;    /* place to plan op */
    bool *depends;      /* by plan op */
    uint32_t moved;
};

/* ---- dependence ---- */

static void touch(struct map *touched, int64_t tensor, uint32_t how)
{
    const uint32_t before = map_get(touched, tensor);
    map_put(touched, tensor, before == MAP_NONE ? how : before | how);
}

static bool was(const struct map *touched, int64_t tensor, uint32_t how)
{
    const uint32_t before = map_get(touched, tensor);
    return before != MAP_NONE && before & how;
}

/* An operator is all the calls inside it. */
static bool depends(const struct reordering *r, uint32_t op)
{
    const struct program *program = r->plan->program;
    for (uint32_t call = op; call < program->ops[op].end; call++) {
        const struct program_op *at = &program->ops[call];
        for (uint32_t i = 0; i < at->inputs; i++)
            if (was(&r->touched, program->tensors[at->first_input + i], WRITTEN))
                return true;
        for (uint32_t i = 0; i < at->outputs; i++)
            if (was(&r->touched, program->tensors[at->first_output + i], READ | WRITTEN))
                return true;
    }
    return false;
}

static void mark(struct reordering *r, uint32_t op)
{
    const struct program *program = r->plan->program;
    for (uint32_t call = op; call < program->ops[op].end; call++) {
        const struct program_op *at = &program->ops[call];
        for (uint32_t i = 0; i < at->inputs; i++)
            touch(&r->touched, program->tensors[at->first_input + i], READ);
        for (uint32_t i = 0; i < at->outputs; i++)
            touch(&r->touched, program->tensors[at->first_output + i], WRITTEN);
    }
}

/* ---- windows ---- */

static bool communicates(const struct plan *plan, const struct plan_op *op)
{
    for (uint32_t i = op->first_launch; i < op->first_launch + op->launches; i++)
        if (change_is_live(plan, &plan->launches[i]) && plan->launches[i].work == WORK_COMMUNICATION)
            return true;
    return false;
}

/* Ends a window: another collective, a wait, another thread, a hand-over, or what no operator tells of. */
static bool is_barrier(const struct plan *plan, const struct plan_op *op, uint32_t thread)
{
    return op->op == OP_NONE || op->thread != thread || op->follows != PLAN_NONE || change_op_waits(plan, op) ||
           communicates(plan, op);
}

static uint32_t window_end(const struct plan *plan, uint32_t begin, uint32_t thread)
{
    while (begin < plan->count && !is_barrier(plan, &plan->ops[begin], thread))
        begin++;
    return begin;
}

/* Those that do not depend first, each kind in its order. */
static void part(struct reordering *r, uint32_t begin, uint32_t end)
{
    uint32_t at = begin;
    for (int late = 0; late < 2; late++)
        for (uint32_t i = begin; i < end; i++)
            if (r->depends[i] == (late == 1)) {
                r->moved += !late && at != i;
                r->order[at++] = i;
            }
}

static uint32_t reorder_window(struct reordering *r, uint32_t collective)
{
    const struct plan *plan = r->plan;
    map_free(&r->touched);
    mark(r, plan->ops[collective].op);
    const uint32_t end = window_end(plan, collective + 1, plan->ops[collective].thread);
    for (uint32_t i = collective + 1; i < end; i++) {
        r->depends[i] = depends(r, plan->ops[i].op);
        if (r->depends[i])
            mark(r, plan->ops[i].op);
    }
    part(r, collective + 1, end);
    return end;
}

/* ---- the new order ---- */

/* Entries are named by their place: launches and hand-overs follow. */
static void lay_out(struct reordering *r, struct arena *arena)
{
    struct plan *plan = r->plan;
    struct plan_op *ops = arena_array(arena, plan->count, sizeof *ops);
    uint32_t *place = arena_array(arena, plan->count, sizeof *place);
    for (uint32_t i = 0; i < plan->count; i++)
        place[r->order[i]] = i;
    for (uint32_t i = 0; i < plan->count; i++) {
        ops[i] = plan->ops[r->order[i]];
        if (ops[i].follows != PLAN_NONE)
            ops[i].follows = place[ops[i].follows];
    }
    for (uint32_t i = 0; i < plan->launch_count; i++)
        plan->launches[i].op = place[plan->launches[i].op];
    plan->ops = ops;
}

bool change_reorder(struct changing *changing)
{
    struct plan *plan = changing->plan;
    if (!plan->program->tensor_count)
        return fail(changing->err, STEPTIME_USAGE,
                    "--reorder needs to know what depends on what: an execution trace, alone or beside its trace");
    struct reordering r = {.plan = plan};
    r.order = arena_array(changing->arena, plan->count, sizeof *r.order);
    r.depends = arena_array(changing->arena, plan->count, sizeof *r.depends);
    for (uint32_t i = 0; i < plan->count; i++)
        r.order[i] = i;
    for (uint32_t i = 0; i < plan->count;)
        i = plan->ops[i].op != OP_NONE && communicates(plan, &plan->ops[i]) ? reorder_window(&r, i) : i + 1;
    map_free(&r.touched);
    lay_out(&r, changing->arena);
    change_tell(changing,
                str_printf(changing->arena, "--reorder: %u operators go before what waits for a collective", r.moved));
    return true;
}
