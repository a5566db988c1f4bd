/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/error.h"
#include "program.h"
#include "ops/words/shape.h"

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

/* The first argument that no memory holds; UINT32_MAX: none. */
static uint32_t first_too_large(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->count; i++)
        for (uint32_t k = 0; k < shape->arguments[i].count; k++)
            if (!dims_fit(shape->arguments[i].tensors[k]))
                return i;
    return UINT32_MAX;
}

bool program_sizes_usable(const struct program_op *op, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct shape shape;
    bool usable = true;
    if (op->arguments.dims.len && !shape_parse(op->arguments.dims, &scratch, &shape))
        usable = fail(err, STEPTIME_INPUT, "operator %.*s (%" PRId64 ") has sizes that are none: %.*s",
                      (int)op->name.len, op->name.at, op->id, (int)op->arguments.dims.len, op->arguments.dims.at);
    else if (op->arguments.dims.len && !shape_fits(&shape))
        usable = fail(err, STEPTIME_INPUT,
                      "operator %.*s (%" PRId64 "): the sizes of argument %u are more than any memory holds",
                      (int)op->name.len, op->name.at, op->id, first_too_large(&shape));
    arena_free(&scratch);
    return usable;
}

uint32_t program_unusable_sizes(const struct program *program)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->count; i++)
        count += !program_sizes_usable(&program->ops[i], NULL);
    return count;
}

static const struct program_op *first_without(const struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++)
        if (!program->ops[i].label && !program->ops[i].arguments.dims.len && operator_has_cost(program->ops[i].name))
            return &program->ops[i];
    return NULL;
}

/* Whether an operator has sizes that can be. *err: the first whose sizes cannot. */
static bool has_any_shape(const struct program *program, struct steptime_error *err)
{
    bool named = false;
    for (uint32_t i = 0; i < program->count; i++) {
        if (!program->ops[i].arguments.dims.len)
            continue;
        if (program_sizes_usable(&program->ops[i], named ? NULL : err))
            return true;
        named = true;
    }
    return false;
}

bool program_check(const struct program *program, struct steptime_error *err)
{
    struct steptime_error unusable = {0};
    if (has_any_shape(program, &unusable))
        return true;
    const struct program_op *op = first_without(program);
    if (unusable.code)
        return fail(err, STEPTIME_INPUT, "%s", unusable.message);
    if (!program->count)
        return fail(err, STEPTIME_INPUT, "has no operators");
    if (!op)
        return fail(err, STEPTIME_INPUT, "has no operator with shapes");
    return fail(err, STEPTIME_INPUT, "has no shapes (operator %.*s (%" PRId64 ") is the first that needs them); %s",
                (int)op->name.len, op->name.at, op->id, "record with record_shapes=True");
}
