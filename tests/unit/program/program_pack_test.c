/* SPDX-License-Identifier: Apache-2.0 */
/* What is packed comes back: each field of each kind of row, with values from one end of its type to the other. */
#include "unit/cmocka_first.h"

#include <stdlib.h>

#include "base/mem.h"
#include "program/pack.h"

enum { ROWS = 300, LONG_TEXT = 70000 };

static uint64_t seed = 1;

/* Small, large and the ends of the range, in no order. */
static uint64_t any(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const unsigned width = (seed >> 33) % 65;
    const uint64_t bits = seed ^ seed << 29;
    return width == 64 ? bits : width ? bits >> (64 - width) : UINT64_MAX;
}

static bool any_bit(void)
{
    return any() >> 1 & 1;
}

static str any_text(struct arena *arena)
{
    const size_t len = any() % 7 ? any() % 12 : any() % 50 ? 0 : LONG_TEXT;
    char *at = arena_alloc(arena, len + 1);
    memset(at, 'a' + (int)(any() % 26), len);
    return (str){at, len};
}

/* Rows of which all bytes that are no text differ, and whose flags are flags. */
static void fill(void *row, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)row)[i] = (uint8_t)any();
}

static struct program_op any_op(struct arena *arena)
{
    struct program_op op;
    fill(&op, sizeof op);
    op.name = any_text(arena);
    op.arguments.dims = any_text(arena);
    op.arguments.types = any_text(arena);
    op.arguments.values = any_text(arena);
    op.arguments.strides = any_text(arena);
    op.start_ns = (int64_t)any();
    op.label = any_bit();
    op.on_host = any_bit();
    return op;
}

static struct program_launch any_launch(struct arena *arena)
{
    struct program_launch launch;
    fill(&launch, sizeof launch);
    launch.call = any_text(arena);
    launch.kernel = any_text(arena);
    launch.blocking = any_bit();
    launch.shared = any_bit();
    return launch;
}

static struct collective any_collective(void)
{
    struct collective collective;
    fill(&collective, sizeof collective);
    collective.on_host = any_bit();
    collective.queued_before = any_bit();
    collective.apart = any_bit();
    return collective;
}

static struct collective_group any_group(struct arena *arena)
{
    return (struct collective_group){any_text(arena), (int64_t)any(), any(), any_text(arena)};
}

static struct program any_program(struct arena *arena)
{
    struct program p;
    fill(&p, sizeof p);
    struct program_op *ops = arena_array(arena, ROWS, sizeof *ops);
    struct program_launch *launches = arena_array(arena, ROWS, sizeof *launches);
    struct program_sync *syncs = arena_array(arena, ROWS, sizeof *syncs);
    struct program_order *orders = arena_array(arena, ROWS, sizeof *orders);
    int64_t *tensors = arena_array(arena, ROWS, sizeof *tensors);
    int64_t *tensor_bytes = arena_array(arena, ROWS, sizeof *tensor_bytes);
    struct execution_mark *marks = arena_array(arena, ROWS, sizeof *marks);
    struct collective *collectives = arena_array(arena, ROWS, sizeof *collectives);
    struct collective_group *groups = arena_array(arena, ROWS, sizeof *groups);
    for (int i = 0; i < ROWS; i++) {
        ops[i] = any_op(arena);
        launches[i] = any_launch(arena);
        fill(&syncs[i], sizeof syncs[i]);
        fill(&orders[i], sizeof orders[i]);
        tensors[i] = (int64_t)any();
        tensor_bytes[i] = (int64_t)any();
        fill(&marks[i], sizeof marks[i]);
        collectives[i] = any_collective();
        groups[i] = any_group(arena);
    }
    p.source = PROGRAM_JOINED;
    p.profiled = any_bit();
    p.path = any_text(arena);
    p.device = any_text(arena);
    p.ops = ops;
    p.launches = launches;
    p.syncs = syncs;
    p.orders = orders;
    p.tensors = tensors;
    p.tensor_bytes = tensor_bytes;
    p.marks = marks;
    p.collectives = collectives;
    p.groups = groups;
    p.count = p.launch_count = p.sync_count = p.order_count = p.tensor_count = ROWS;
    p.collective_count = p.group_count = p.mark_count = ROWS;
    return p;
}

#define SAME(field)      assert_true(a->field == b->field)
#define SAME_TEXT(field) assert_true(str_eq(a->field, b->field))

static void same_op(const struct program_op *a, const struct program_op *b)
{
    SAME_TEXT(name), SAME_TEXT(arguments.dims), SAME_TEXT(arguments.types), SAME_TEXT(arguments.values);
    SAME_TEXT(arguments.strides), SAME(id), SAME(parent), SAME(end), SAME(thread), SAME(forward), SAME(phase);
    SAME(family), SAME(label), SAME(on_host), SAME(start_ns), SAME(dur_ns), SAME(first_launch), SAME(launches);
    SAME(first_input), SAME(inputs), SAME(first_output), SAME(outputs);
}

static void same_launch(const struct program_launch *a, const struct program_launch *b)
{
    SAME(op), SAME(thread), SAME_TEXT(call), SAME_TEXT(kernel), SAME(row), SAME(call_start_ns), SAME(call_dur_ns);
    SAME(start_ns), SAME(dur_ns), SAME(stream), SAME(collective), SAME(work), SAME(direction), SAME(memory);
    SAME(blocking), SAME(shared), SAME(bytes);
}

static void same_sync(const struct program_sync *a, const struct program_sync *b)
{
    SAME(op), SAME(thread), SAME(before), SAME(stream), SAME(row), SAME(start_ns), SAME(dur_ns);
}

static void same_collective(const struct collective *a, const struct collective *b)
{
    SAME(call_ns), SAME(start_ns), SAME(dur_ns), SAME(seq), SAME(in_elements), SAME(out_elements), SAME(row);
    SAME(step), SAME(group), SAME(element_bytes), SAME(kind), SAME(on_host), SAME(queued_before);
    SAME(apart), SAME(work);
}

static void same_mark(const struct execution_mark *a, const struct execution_mark *b)
{
    SAME(id), SAME(kind), SAME(what), SAME(stream);
}

static void same_group(const struct collective_group *a, const struct collective_group *b)
{
    SAME_TEXT(name), SAME(size), SAME(identity), SAME_TEXT(members);
}

static void same_program(const struct program *a, const struct program *b)
{
    SAME(source), SAME(threads), SAME(streams), SAME(rank), SAME(world_size), SAME(wall_ns), SAME(active_ns);
    SAME(behind_ns), SAME(held_ns), SAME(profiled), SAME(step), SAME(without_shapes);
    SAME_TEXT(path), SAME_TEXT(device);
    SAME(count), SAME(launch_count), SAME(sync_count), SAME(order_count), SAME(tensor_count);
    SAME(collective_count), SAME(group_count), SAME(mark_count);
    for (int i = 0; i < ROWS; i++) {
        same_op(&a->ops[i], &b->ops[i]);
        same_launch(&a->launches[i], &b->launches[i]);
        same_sync(&a->syncs[i], &b->syncs[i]);
        assert_true(a->orders[i].launch == b->orders[i].launch && a->orders[i].after == b->orders[i].after);
        assert_true(a->tensors[i] == b->tensors[i]);
        assert_true(a->tensor_bytes[i] == b->tensor_bytes[i]);
        same_mark(&a->marks[i], &b->marks[i]);
        same_collective(&a->collectives[i], &b->collectives[i]);
        same_group(&a->groups[i], &b->groups[i]);
    }
}

static void what_is_packed_comes_back(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct program_texts *texts = program_texts_new();
    for (int i = 0; i < 20; i++) {
        const struct program program = any_program(&arena);
        const struct packed_program packed = program_pack(&program, texts, &arena);
        const struct program back = program_unpack(packed, texts, &arena);
        same_program(&program, &back);
    }
    program_texts_free(texts);
    arena_free(&arena);
}

static void nothing_is_packed_too(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct program_texts *texts = program_texts_new();
    const struct program none = {.rank = -1, .step = -1};
    const struct program back = program_unpack(program_pack(&none, texts, &arena), texts, &arena);
    assert_true(!back.count && !back.launch_count && back.rank == -1 && back.step == -1);
    program_texts_free(texts);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(nothing_is_packed_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
