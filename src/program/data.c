/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order by data: reading what was written, writing again what was written, and
 * writing what was read. Each tensor knows its last writer and who read it
 * since, so a pass over the operators is enough.
 */
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "tree.h"

struct reader {
    uint32_t op, next; /* another reader of the same tensor; OP_NONE */
};

struct tensor {
    uint32_t writer, readers; /* OP_NONE: none */
};

struct tracing {
    struct map index; /* of a tensor's id */
    struct tensor *tensors;
    uint32_t count;
    struct reader *readers;
    uint32_t reader_count;
    struct keyed *pairs; /* op, what it needs; with repetitions */
    size_t pair_count, pair_room;
};

static struct tensor *tensor_of(struct tracing *t, int64_t id)
{
    uint32_t index = map_get(&t->index, id);
    if (index == MAP_NONE) {
        map_put(&t->index, id, index = t->count++);
        t->tensors[index] = (struct tensor){OP_NONE, OP_NONE};
    }
    return &t->tensors[index];
}

static void add_pair(struct tracing *t, uint32_t op, uint32_t needs)
{
    if (needs == OP_NONE || needs == op)
        return;
    t->pairs = mem_grow(t->pairs, &t->pair_room, t->pair_count + 1, sizeof *t->pairs);
    t->pairs[t->pair_count++] = (struct keyed){(int64_t)((uint64_t)op << 32 | needs), 0};
}

static void read_by(struct tracing *t, int64_t id, uint32_t op)
{
    struct tensor *tensor = tensor_of(t, id);
    add_pair(t, op, tensor->writer);
    if (tensor->readers != OP_NONE && t->readers[tensor->readers].op == op)
        return;
    t->readers[t->reader_count] = (struct reader){op, tensor->readers};
    tensor->readers = t->reader_count++;
}

static void written_by(struct tracing *t, int64_t id, uint32_t op)
{
    struct tensor *tensor = tensor_of(t, id);
    add_pair(t, op, tensor->writer);
    for (uint32_t reader = tensor->readers; reader != OP_NONE; reader = t->readers[reader].next)
        add_pair(t, op, t->readers[reader].op);
    *tensor = (struct tensor){op, OP_NONE};
}

static struct program_needs without_repetitions(const struct tracing *t, struct arena *arena)
{
    struct program_need *needs = arena_array(arena, t->pair_count, sizeof *needs);
    uint32_t count = 0;
    sort_keyed(t->pairs, t->pair_count);
    for (size_t i = 0; i < t->pair_count; i++)
        if (i == 0 || t->pairs[i].key != t->pairs[i - 1].key)
            needs[count++] =
                (struct program_need){(uint32_t)((uint64_t)t->pairs[i].key >> 32), (uint32_t)t->pairs[i].key};
    return (struct program_needs){needs, count};
}

struct program_needs program_needs_of(const struct program *program, struct arena *arena)
{
    struct arena scratch = {0};
    struct tracing t = {.tensors = arena_array(&scratch, program->tensor_count, sizeof *t.tensors),
                        .readers = arena_array(&scratch, program->tensor_count, sizeof *t.readers)};
    const uint32_t *tops = program_tops(program->ops, program->count, &scratch);
    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_op *op = &program->ops[i];
        if (tops[i] == OP_NONE)
            continue;
        for (uint32_t k = 0; k < op->inputs; k++)
            read_by(&t, program->tensors[op->first_input + k], tops[i]);
        for (uint32_t k = 0; k < op->outputs; k++)
            written_by(&t, program->tensors[op->first_output + k], tops[i]);
    }
    const struct program_needs needs = without_repetitions(&t, arena);
    map_free(&t.index);
    mem_free(t.pairs);
    arena_free(&scratch);
    return needs;
}
