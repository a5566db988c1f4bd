/* SPDX-License-Identifier: Apache-2.0 */
#include "batch.h"

#include "base/between.h"
#include "base/buf.h"
#include "batch_roles.h"

struct scaling {
    const struct program *program;
    const struct parameters *parameters;
    int64_t from, to;
    struct arena *arena;
};

static void put_tensor(struct buf *text, const struct scaling *s, struct tensor_dims dims, uint32_t scaled)
{
    buf_char(text, '[');
    for (uint32_t i = 0; i < dims.rank; i++) {
        int64_t size = dims.at[i];
        const int64_t more = size % s->from; /* of a list of offsets one */
        if (scaled >> i & 1 &&
            (__builtin_mul_overflow(size / s->from, s->to, &size) || __builtin_add_overflow(size, more, &size)))
            size = INT64_MAX; /* no size at all: change_batch refuses it */
        buf_printf(text, "%s%lld", i ? ", " : "", (long long)size);
    }
    buf_char(text, ']');
}

static void put_argument(struct buf *text, const struct scaling *s, uint32_t op, const struct shape *shape, uint32_t at)
{
    const struct shape_argument *argument = &shape->arguments[at];
    if (argument->list)
        buf_char(text, '[');
    for (uint32_t k = 0; k < argument->count; k++) {
        buf_add(text, k ? S(", ") : S(""));
        put_tensor(text, s, argument->tensors[k],
                   batch_dimensions(s->parameters, op, shape, (struct operand){at, k}, s->from));
    }
    if (argument->list)
        buf_char(text, ']');
}

static str scaled_dims(const struct scaling *s, uint32_t op)
{
    struct arena scratch = {0};
    struct shape shape;
    const str dims = s->program->ops[op].arguments.dims;
    if (!shape_parse(dims, &scratch, &shape)) {
        arena_free(&scratch);
        return dims;
    }
    struct buf text = {0};
    buf_char(&text, '[');
    for (uint32_t i = 0; i < shape.count; i++) {
        buf_add(&text, i ? S(", ") : S(""));
        put_argument(&text, s, op, &shape, i);
    }
    buf_char(&text, ']');
    const str copy = str_copy(s->arena, buf_str(&text));
    buf_free(&text);
    arena_free(&scratch);
    return copy;
}

struct program batch_scaled(const struct program *program, int64_t from, int64_t to, struct arena *arena)
{
    struct parameters *parameters = parameters_of(program);
    const struct scaling scaling = {program, parameters, from, to, arena};
    struct program_op *ops = arena_array(arena, program->count, sizeof *ops);
    for (uint32_t i = 0; i < program->count; i++) {
        ops[i] = program->ops[i];
        if (ops[i].phase != PHASE_OPTIMIZER && ops[i].arguments.dims.len)
            ops[i].arguments.dims = scaled_dims(&scaling, i);
    }
    parameters_free(parameters);
    struct program scaled = *program;
    const struct batches batches = {.more = from, .to = to};
    scaled.ops = ops;
    scaled.load_ns = size_with_batch(program->load_ns, batches);
    scaled.feed_ns = size_with_batch(program->feed_ns, batches);
    return scaled;
}
