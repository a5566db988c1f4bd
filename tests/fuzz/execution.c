/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a program: an error that says something, or nodes and a program
 * that keep every promise of execution.h and program.h, and the same for the
 * steps of a trace.
 */
#include <assert.h>

#include "program/program.h"
#include "memory_file.h"
#include "read/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_nodes(const struct execution *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const struct execution_node *node = &e->nodes[i];
        assert(i == 0 || e->nodes[i - 1].id < node->id);
        assert(node->parent == EXECUTION_NONE || node->parent < i);
        assert((uint64_t)node->inputs.first_tensor + node->inputs.tensors <= e->tensor_count);
        assert((uint64_t)node->outputs.first_tensor + node->outputs.tensors <= e->tensor_count);
        assert(node->collective == EXECUTION_NONE || node->collective < e->collective_count);
    }
}

static void check_op(const struct program *p, uint32_t i)
{
    const struct program_op *op = &p->ops[i];
    assert(op->end > i && op->end <= p->count && op->thread < p->threads);
    assert(op->parent == OP_NONE || (op->parent < i && op->end <= p->ops[op->parent].end));
    assert(!op->label || op->parent == OP_NONE || p->ops[op->parent].label);
    assert(op->forward == OP_NONE || op->forward < p->count);
    assert((uint64_t)op->first_input + op->inputs <= p->tensor_count);
    assert((uint64_t)op->first_output + op->outputs <= p->tensor_count);
    assert((uint64_t)op->first_launch + op->launches <= p->launch_count);
}

static void check_launches(const struct program *p)
{
    for (uint32_t i = 0; i < p->launch_count; i++) {
        const struct program_launch *launch = &p->launches[i];
        assert(launch->op == OP_NONE || (launch->op < p->count && !p->ops[launch->op].label));
        assert(launch->thread < p->threads && (launch->row < 0 || launch->stream < p->streams));
        assert(launch->collective == UINT32_MAX || launch->collective < p->collective_count);
    }
    for (uint32_t i = 0; i < p->sync_count; i++)
        assert(p->syncs[i].before <= p->launch_count && p->syncs[i].thread < p->threads);
    for (uint32_t i = 0; i < p->order_count; i++)
        assert(p->orders[i].launch < p->launch_count && p->orders[i].after < p->launch_count);
}

static void check_program(const struct program *p)
{
    struct steptime_error err;
    for (uint32_t i = 0; i < p->count; i++)
        check_op(p, i);
    check_launches(p);
    assert(program_check(p, &err) || (err.code == STEPTIME_INPUT && err.message[0]));
}

static void check_execution(const struct execution *e)
{
    struct arena arena = {0};
    const struct program p = program_of_execution(e, &arena);
    check_nodes(e);
    check_program(&p);
    arena_free(&arena);
}

static void check_trace(const struct trace *trace)
{
    enum { STEPS = 8 };
    struct arena arena = {0};
    struct programs *programs = programs_open(trace, work_classes_new(trace, &arena));
    for (uint32_t step = 0; step < trace->step_count && step < STEPS; step++) {
        const struct program p = programs_step(programs, step, &arena);
        check_program(&p);
    }
    programs_close(programs);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct steptime_error err = {0};
    struct input input;
    if (!input_read(memory_file(bytes, size), INPUT_TRACE | INPUT_EXECUTION, NULL, &input, &err)) {
        assert(err.code == STEPTIME_INPUT && err.message[0]);
        return 0;
    }
    if (input.trace)
        check_trace(input.trace);
    if (input.execution)
        check_execution(input.execution);
    trace_free(input.trace);
    execution_free(input.execution);
    return 0;
}
