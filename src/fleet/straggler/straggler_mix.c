/* SPDX-License-Identifier: Apache-2.0 */
#include "straggler_mix.h"

#include "base/stat.h"

/* ---- classes of types ---- */

static str class_name(const struct operation_type *type)
{
    switch (type->role) {
    case ROLE_FORWARD_SEND:
    case ROLE_FORWARD_RECEIVE:
        return S("forward-pp-comm");
    case ROLE_BACKWARD_SEND:
    case ROLE_BACKWARD_RECEIVE:
        return S("backward-pp-comm");
    default:
        return type->name;
    }
}

struct type_classes type_classes(const struct operations *operations, struct arena *arena)
{
    str *names = arena_array(arena, operations->type_count, sizeof *names);
    uint32_t *of_type = arena_array(arena, operations->type_count, sizeof *of_type);
    uint32_t count = 0;
    for (uint32_t i = 0; i < operations->type_count; i++) {
        const str name = class_name(&operations->types[i]);
        while (of_type[i] < count && !str_eq(names[of_type[i]], name))
            of_type[i]++;
        if (of_type[i] == count)
            names[count++] = name;
    }
    return (struct type_classes){names, of_type, count};
}

/* ---- mixing ---- */

static bool is_selected(const struct straggler_plan *plan, const struct type_classes *classes,
                        struct selection selection, uint32_t node, uint32_t lane)
{
    const struct operation *like = &plan->nodes[node].like;
    const uint32_t replica = lane % plan->replicas;
    switch (selection.by) {
    case SELECT_CLASS:
        return classes->of_type[like->type] == selection.number;
    case SELECT_REPLICA:
        return replica == selection.number;
    case SELECT_STAGE:
        return like->stage == selection.number;
    default:
        return selection.workers[like->stage * plan->replicas + replica];
    }
}

void mix_works(const struct straggler_plan *plan, const struct type_classes *classes, struct selection selection,
               const int64_t *chosen, const int64_t *others, int64_t *mixed)
{
    for (uint32_t node = 0; node < plan->node_count; node++)
        for (uint32_t lane = 0; lane < plan->lanes; lane++) {
            const size_t at = (size_t)node * plan->lanes + lane;
            mixed[at] = is_selected(plan, classes, selection, node, lane) ? chosen[at] : others[at];
        }
}

/* ---- ideal works ---- */

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The works of a node in lanes [from, to), those that have it. */
static size_t gather(const struct straggler_plan *plan, uint32_t node, uint32_t from, uint32_t to, const double *work_s,
                     double *values)
{
    size_t count = 0;
    for (uint32_t lane = from; lane < to; lane++) {
        const size_t at = (size_t)node * plan->lanes + lane;
        if (plan->row[at] != PLAN_NONE)
            values[count++] = work_s[at];
    }
    return count;
}

static double usual(const struct operation_type *type, double *values, size_t count)
{
    if (!count)
        return 0;
    return operation_role_has_outliers(type->role) ? stat_median(values, count) : mean_of(values, count);
}

/* What is usual in lanes [from, to), for those of them that have the node. */
static void put_usual(const struct straggler_plan *plan, uint32_t node, uint32_t from, uint32_t to, double usual_s,
                      double *ideal_s)
{
    for (uint32_t lane = from; lane < to; lane++) {
        const size_t at = (size_t)node * plan->lanes + lane;
        ideal_s[at] = plan->row[at] == PLAN_NONE ? 0 : usual_s;
    }
}

/* All operations of a type alike. */
static void make_type_equal(const struct operations *operations, const struct straggler_plan *plan, uint32_t type,
                            const double *work_s, double *values, double *ideal_s)
{
    size_t count = 0;
    for (uint32_t node = 0; node < plan->node_count; node++)
        if (plan->nodes[node].like.type == type)
            count += gather(plan, node, 0, plan->lanes, work_s, values + count);
    const double usual_s = usual(&operations->types[type], values, count);
    for (uint32_t node = 0; node < plan->node_count; node++)
        if (plan->nodes[node].like.type == type)
            put_usual(plan, node, 0, plan->lanes, usual_s, ideal_s);
}

/* The same operation of the same step on all workers alike. */
static void make_node_equal(const struct operations *operations, const struct straggler_plan *plan, uint32_t node,
                            const double *work_s, double *values, double *ideal_s)
{
    const struct operation_type *type = &operations->types[plan->nodes[node].like.type];
    for (uint32_t from = 0; from < plan->lanes; from += plan->replicas) {
        const uint32_t to = from + plan->replicas;
        put_usual(plan, node, from, to, usual(type, values, gather(plan, node, from, to, work_s, values)), ideal_s);
    }
}

const double *ideal_works(const struct operations *operations, const struct straggler_plan *plan, const double *work_s,
                          struct arena *arena)
{
    struct arena scratch = {0};
    double *values = arena_array(&scratch, plan_cells(plan), sizeof *values);
    double *ideal_s = arena_array(arena, plan_cells(plan), sizeof *ideal_s);
    for (uint32_t type = 0; type < operations->type_count && !operations->unlike; type++)
        make_type_equal(operations, plan, type, work_s, values, ideal_s);
    for (uint32_t node = 0; node < plan->node_count && operations->unlike; node++)
        make_node_equal(operations, plan, node, work_s, values, ideal_s);
    arena_free(&scratch);
    return ideal_s;
}
