/* SPDX-License-Identifier: Apache-2.0 */
#include "units.h"

enum state {
    OPEN,    /* not lowered itself; what is inside may be */
    UNIT,    /* launches, and what is inside adds nothing */
    COVERED, /* inside a unit, or known to launch nothing */
};

enum { KNOWN_NAMES = 1024 };

/* Names of kernels are one text each, so where a text lies says which it is. */
struct known_names {
    const char *at[KNOWN_NAMES];
    uint32_t hints[KNOWN_NAMES];
};

static uint32_t hints_of(struct known_names *known, str kernel)
{
    const uint32_t slot = (uint32_t)(((uintptr_t)kernel.at * 0x9e3779b97f4a7c15U) >> 54) % KNOWN_NAMES;
    if (known->at[slot] != kernel.at) {
        known->at[slot] = kernel.at;
        known->hints[slot] = launch_hints(kernel);
    }
    return known->hints[slot];
}

struct finding {
    const struct program *program;
    struct arena *arena;
    struct lowering *lowering; /* by op */
    uint8_t *state;            /* by op: enum state */
    uint32_t *inside;          /* by op: units inside */
    struct known_names *names;
};

enum { AFTER = 6 }; /* calls beyond read something else */

/* Those that come next on the thread, where the call's own values are not recorded. */
static uint32_t calls_after(const struct program *program, uint32_t i, const struct op_arguments **after)
{
    uint32_t count = 0;
    if (program->ops[i].arguments.values.len)
        return 0;
    for (uint32_t next = program->ops[i].end; next < program->count && count < AFTER; next++) {
        if (program->ops[next].thread != program->ops[i].thread)
            break;
        if (program->ops[next].arguments.dims.len)
            after[count++] = &program->ops[next].arguments;
    }
    return count;
}

static struct operator_call call_of(const struct finding *f, uint32_t i, const struct op_arguments **after)
{
    const struct program *program = f->program;
    const struct program_op *op = &program->ops[i];
    struct operator_call call = {
        .name = op->name,
        .arguments = &op->arguments,
        .phase = (enum phase)op->phase,
        .forward = S(""),
        .direction = COPY_UNKNOWN,
        .memory = HOST_UNKNOWN,
        .after = after,
        .after_count = calls_after(program, i, after),
    };
    if (op->forward < program->count) {
        call.forward = program->ops[op->forward].name;
        call.forward_arguments = &program->ops[op->forward].arguments;
    }
    for (uint32_t k = 0; k < op->launches; k++) {
        const struct program_launch *launch = &program->launches[op->first_launch + k];
        if (launch->work != WORK_COMMUNICATION && launch->kernel.len)
            launched_add(&call.launched, hints_of(f->names, launch->kernel));
        if (launch->work != WORK_COPY)
            continue;
        call.direction = (enum copy_direction)launch->direction;
        call.memory = (enum host_memory)launch->memory;
    }
    return call;
}

static bool has_calls(const struct program *program, uint32_t op)
{
    return op + 1 < program->count && program->ops[op].end > op + 1 && program->ops[op + 1].parent == op;
}

static uint8_t state_of(const struct finding *f, uint32_t op)
{
    const uint32_t parent = f->program->ops[op].parent;
    if (parent < op && f->state[parent] != OPEN)
        return COVERED;
    if (f->program->ops[op].label)
        return OPEN;
    if (f->program->ops[op].on_host)
        return COVERED;
    const struct op_arguments *after[AFTER];
    const struct operator_call call = call_of(f, op, after);
    f->lowering[op] = operator_launches(&call, f->arena);
    switch (f->lowering[op].way) {
    case LOWERED_TO_KERNELS:
    case LOWERED_TO_COLLECTIVE:
        return UNIT;
    case LOWERED_TO_NOTHING:
        return COVERED;
    default:
        return OPEN;
    }
}

/* What has nothing below it that launches does so itself, if it is known to launch at all. */
static void close_open(struct finding *f)
{
    for (uint32_t op = f->program->count; op-- > 0;) {
        const bool launches = f->lowering[op].count || f->program->ops[op].launches;
        if (f->state[op] == OPEN && !f->program->ops[op].label && !f->inside[op] &&
            (launches || (f->lowering[op].way == LOWERED_NOT && !has_calls(f->program, op))))
            f->state[op] = UNIT;
        const uint32_t parent = f->program->ops[op].parent;
        if (parent < op)
            f->inside[parent] += f->inside[op] + (f->state[op] == UNIT);
    }
}

struct units units_of(const struct program *program, struct arena *arena)
{
    struct arena scratch = {0};
    struct finding f = {
        .program = program,
        .arena = arena,
        .lowering = arena_array(&scratch, program->count, sizeof *f.lowering),
        .state = arena_array(&scratch, program->count, 1),
        .inside = arena_array(&scratch, program->count, sizeof *f.inside),
        .names = arena_array(&scratch, 1, sizeof *f.names),
    };
    for (uint32_t op = 0; op < program->count; op++)
        f.state[op] = state_of(&f, op);
    close_open(&f);
    struct unit *at = arena_array(arena, program->count, sizeof *at);
    uint32_t count = 0;
    for (uint32_t op = 0; op < program->count; op++)
        if (f.state[op] == UNIT)
            at[count++] = (struct unit){op, f.lowering[op]};
    arena_free(&scratch);
    return (struct units){program, at, count};
}

const struct units *units_known(const struct units *known, const struct program *program, struct arena *arena)
{
    if (known && known->of == program)
        return known;
    struct units *units = arena_alloc(arena, sizeof *units);
    *units = units_of(program, arena);
    return units;
}
