/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/error.h"
#include "graph/program.h"

str program_source_word(enum program_source source)
{
    switch (source) {
    case PROGRAM_TRACE:
        return S("trace");
    case PROGRAM_EXECUTION:
        return S("execution trace");
    case PROGRAM_JOINED:
        return S("execution trace with its trace");
    case PROGRAM_LIST:
        return S("list of operators");
    case PROGRAM_CONFIG:
        return S("model configuration");
    }
    return S("");
}

/* Sizes are read as non-negative integers, so what remains is a product that does not fit. */
static bool check_sizes(const struct program_op *op, struct arena *scratch, struct steptime_error *err)
{
    struct shape shape;
    if (!op->arguments.dims.len)
        return true;
    if (!shape_parse(op->arguments.dims, scratch, &shape))
        return fail(err, STEPTIME_INPUT, "operator %.*s (%" PRId64 ") has sizes that are none: %.*s", (int)op->name.len,
                    op->name.at, op->id, (int)op->arguments.dims.len, op->arguments.dims.at);
    for (uint32_t i = 0; i < shape.count; i++)
        for (uint32_t k = 0; k < shape.arguments[i].count; k++)
            if (dims_elements(shape.arguments[i].tensors[k]) < 0)
                return fail(err, STEPTIME_INPUT,
                            "operator %.*s (%" PRId64 "): the sizes of argument %u multiply to more than fits",
                            (int)op->name.len, op->name.at, op->id, i);
    return true;
}

static const struct program_op *first_without(const struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++)
        if (!program->ops[i].label && !program->ops[i].arguments.dims.len && op_has_cost(program->ops[i].name))
            return &program->ops[i];
    return NULL;
}

static bool has_any_shape(const struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++)
        if (program->ops[i].arguments.dims.len)
            return true;
    return false;
}

bool program_check(const struct program *program, struct steptime_error *err)
{
    struct arena scratch = {0};
    bool fine = true;
    for (uint32_t i = 0; i < program->count && fine; i++) {
        fine = check_sizes(&program->ops[i], &scratch, err);
        arena_free(&scratch);
    }
    if (!fine || has_any_shape(program))
        return fine;
    const struct program_op *op = first_without(program);
    if (!program->count)
        return fail(err, STEPTIME_INPUT, "has no operators");
    if (!op)
        return fail(err, STEPTIME_INPUT, "has no operator with shapes");
    return fail(err, STEPTIME_INPUT, "has no shapes (operator %.*s (%" PRId64 ") is the first that needs them); %s",
                (int)op->name.len, op->name.at, op->id, "record with record_shapes=True");
}
