/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of every program, whatever it was made from, and shared data for the tests of programs. */
#ifndef PROGRAM_CASE_H
#define PROGRAM_CASE_H

#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>

#include "program/program.h"
#include "read/read.h"
#include "unit/shared_data.h"

static inline void check_program_ops(const struct program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct program_op *op = &p->ops[i];
        assert_true(op->end > i && op->end <= p->count);
        assert_true(op->parent == OP_NONE || op->parent < i);
        if (op->parent != OP_NONE)
            assert_true(op->end <= p->ops[op->parent].end && i < p->ops[op->parent].end);
        assert_true(op->end == p->count || p->ops[op->end].parent == OP_NONE || p->ops[op->end].parent < i);
        assert_false(op->label && op->parent != OP_NONE && !p->ops[op->parent].label);
        assert_true(op->thread < p->threads);
        assert_true(op->forward == OP_NONE || op->forward < p->count);
        assert_true(op->phase < PHASES && op->family < FAMILIES);
        assert_true(op->first_launch + op->launches <= p->launch_count);
        assert_true(op->first_input + op->inputs <= p->tensor_count);
        assert_true(op->first_output + op->outputs <= p->tensor_count);
    }
}

/* Whether the launch was made by the operator or a call inside it. */
static inline bool launched_within(const struct program *p, uint32_t launch, uint32_t op)
{
    const uint32_t by = p->launches[launch].op;
    return by != OP_NONE && by >= op && by < p->ops[op].end;
}

static inline void check_program_launches(const struct program *p)
{
    uint64_t owned = 0, within = 0;
    for (uint32_t i = 0; i < p->launch_count; i++) {
        const struct program_launch *launch = &p->launches[i];
        assert_true(launch->op == OP_NONE || (launch->op < p->count && !p->ops[launch->op].label));
        assert_true(launch->row < 0 || launch->stream < p->streams);
        assert_true(launch->thread < p->threads);
        assert_true(launch->collective == UINT32_MAX || launch->collective < p->collective_count);
        assert_true(!launch->shared || (i > 0 && launch->call_dur_ns == 0));
        assert_true((launch->row < 0) == (launch->dur_ns < 0));
        owned += launch->op != OP_NONE;
    }
    for (uint32_t op = 0; op < p->count; op++) {
        if (p->ops[op].label)
            continue;
        for (uint32_t k = 0; k < p->ops[op].launches; k++)
            assert_true(launched_within(p, p->ops[op].first_launch + k, op));
        within += program_is_top(p, op) ? p->ops[op].launches : 0;
    }
    assert_int_equal(owned, within);
}

static inline void check_program_rest(const struct program *p)
{
    for (uint32_t i = 0; i < p->sync_count; i++) {
        assert_true(p->syncs[i].before <= p->launch_count);
        assert_true(i == 0 || p->syncs[i - 1].before <= p->syncs[i].before);
        assert_true(p->syncs[i].op == OP_NONE || p->syncs[i].op < p->count);
        assert_true(p->syncs[i].stream == UINT32_MAX || p->syncs[i].stream < p->streams);
        assert_true(p->syncs[i].thread < p->threads);
    }
    for (uint32_t i = 0; i < p->order_count; i++) {
        assert_true(p->orders[i].launch < p->launch_count && p->orders[i].after < p->launch_count);
        assert_true(i == 0 || p->orders[i - 1].launch <= p->orders[i].launch);
    }
    for (uint32_t i = 0; i < p->collective_count; i++)
        assert_true(p->collectives[i].group < p->group_count);
}

static inline void check_program(const struct program *p)
{
    check_program_ops(p);
    check_program_launches(p);
    check_program_rest(p);
}

static inline struct input shared_input(const char *path)
{
    struct steptime_error err = {0};
    struct input input;
    if (!input_read(shared_path(path), INPUT_TRACE | INPUT_EXECUTION, NULL, &input, &err))
        fail_msg("%s: %s", path, err.message);
    return input;
}

#endif
