/* SPDX-License-Identifier: Apache-2.0 */
#include "flops.h"

#include <stdlib.h>

struct counting {
    const struct program *program;
    struct program_flops *into;
    bool *inside; /* by operator: one inside it counts */
    struct flops_of_name *names;
};

static void add_name(struct counting *c, str name, double flops)
{
    uint32_t i = 0;
    while (i < c->into->name_count && !str_eq(c->names[i].name, name))
        i++;
    if (i == c->into->name_count)
        c->names[c->into->name_count++] = (struct flops_of_name){.name = name};
    c->names[i].flops += flops;
    c->names[i].calls++;
}

static void add(struct counting *c, const struct program_op *op, struct op_cost cost)
{
    enum precision precision;
    const double flops = (double)cost.flops;
    c->into->all += flops;
    if (dtype_precision(cost.dtype, true, &precision))
        c->into->of[precision] += flops;
    else
        c->into->of_no_peak += flops;
    add_name(c, op->name, flops);
}

/* Calls inside an operator come behind it, so from the last on all that lies inside is known. */
static void count(struct counting *c)
{
    for (uint32_t i = c->program->count; i-- > 0;) {
        const struct program_op *const op = &c->program->ops[i];
        if (op->label || op->on_host)
            continue;
        const struct op_cost cost = operator_cost(op->name, &op->arguments);
        const bool counts = cost.matrix && cost.flops >= 0 && !c->inside[i];
        if (counts)
            add(c, op, cost);
        else if (!c->inside[i] && operator_has_cost(op->name) && cost.flops < 0 &&
                 family_is_matrix((enum family)op->family))
            c->into->unknown++;
        if ((counts || c->inside[i]) && op->parent != OP_NONE)
            c->inside[op->parent] = true;
    }
}

static int by_flops(const void *a, const void *b)
{
    const struct flops_of_name *const x = a, *const y = b;
    return x->flops != y->flops ? (x->flops < y->flops) - (x->flops > y->flops) : str_cmp(x->name, y->name);
}

struct program_flops program_flops(const struct program *program, struct arena *arena)
{
    struct arena scratch = {0};
    struct program_flops flops = {0};
    struct counting c = {.program = program,
                         .into = &flops,
                         .inside = arena_array(&scratch, program->count, sizeof(bool)),
                         .names = arena_array(arena, program->count, sizeof *c.names)};
    count(&c);
    qsort(c.names, flops.name_count, sizeof *c.names, by_flops);
    flops.names = c.names;
    arena_free(&scratch);
    return flops;
}

double program_flops_seconds(const struct program_flops *flops, const struct hardware *hardware)
{
    double seconds = 0;
    if (flops->of_no_peak > 0)
        return 0;
    for (int i = 0; i < PRECISIONS; i++) {
        const double peak = hardware_peak(hardware, (enum precision)i);
        if (flops->of[i] > 0 && peak <= 0)
            return 0;
        seconds += flops->of[i] > 0 ? flops->of[i] / peak : 0;
    }
    return seconds;
}
