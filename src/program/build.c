/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

#include "base/mem.h"

uint32_t program_build_open(struct program_build *b, str name, str dims, str types, str values)
{
    b->ops = mem_grow(b->ops, &b->room, b->count + 1, sizeof *b->ops);
    b->ops[b->count] = (struct program_op){.name = name,
                                           .arguments = {dims, types, values, S("")},
                                           .id = (int64_t)b->count,
                                           .parent = b->open - 1, /* OP_NONE at the top */
                                           .thread = b->thread,
                                           .forward = OP_NONE,
                                           .phase = b->phase,
                                           .family = (uint8_t)operator_family(name),
                                           .start_ns = -1,
                                           .dur_ns = -1,
                                           .first_launch = (uint32_t)b->launch_count};
    b->open = (uint32_t)++b->count;
    return b->open - 1;
}

void program_build_close(struct program_build *b)
{
    struct program_op *op = &b->ops[b->open - 1];
    op->end = (uint32_t)b->count;
    op->launches = (uint32_t)b->launch_count - op->first_launch;
    b->open = op->parent + 1;
}

uint32_t program_build_call(struct program_build *b, str name, str dims, str types, str values)
{
    const uint32_t op = program_build_open(b, name, dims, types, values);
    program_build_close(b);
    return op;
}

void program_build_label(struct program_build *b, str name)
{
    const uint32_t op = program_build_open(b, name, S(""), S(""), S(""));
    b->ops[op].label = true;
    b->ops[op].family = FAMILY_OTHER;
}

struct program_launch program_blank_launch(void)
{
    return (struct program_launch){
        .call = S(""),
        .kernel = S(""),
        .row = -1,
        .call_start_ns = -1,
        .call_dur_ns = -1,
        .start_ns = -1,
        .dur_ns = -1,
        .collective = UINT32_MAX,
        .direction = COPY_UNKNOWN,
        .memory = HOST_UNKNOWN,
    };
}

struct program_launch program_unrecorded_copy(void)
{
    struct program_launch launch = program_blank_launch();
    launch.work = WORK_COPY;
    launch.blocking = true;
    return launch;
}

void program_build_copy(struct program_build *b, enum copy_direction direction, enum host_memory memory, int64_t bytes)
{
    b->launches = mem_grow(b->launches, &b->launch_room, b->launch_count + 1, sizeof *b->launches);
    struct program_launch *copy = &b->launches[b->launch_count++];
    *copy = program_unrecorded_copy();
    copy->op = b->open - 1;
    copy->thread = b->thread;
    copy->call = S("cudaMemcpyAsync");
    copy->direction = (uint8_t)direction;
    copy->memory = (uint8_t)memory;
    copy->bytes = bytes;
}

void program_build_forward(struct program_build *b, uint32_t op, uint32_t forward)
{
    b->ops[op].forward = forward;
}

static void *kept(struct arena *arena, const void *from, size_t count, size_t size)
{
    void *to = arena_array(arena, count, size);
    if (count)
        memcpy(to, from, count * size);
    return to;
}

static uint32_t threads_of(const struct program_op *ops, size_t count)
{
    uint32_t threads = 0;
    for (size_t i = 0; i < count; i++)
        threads = ops[i].thread >= threads ? ops[i].thread + 1 : threads;
    return threads;
}

struct program program_build_finish(struct program_build *b, enum program_source source)
{
    struct collective_group *none = arena_array(b->arena, 1, sizeof *none);
    none->name = S("");
    const struct program program = {.source = source,
                                    .ops = kept(b->arena, b->ops, b->count, sizeof *b->ops),
                                    .count = (uint32_t)b->count,
                                    .launches = kept(b->arena, b->launches, b->launch_count, sizeof *b->launches),
                                    .launch_count = (uint32_t)b->launch_count,
                                    .groups = none,
                                    .group_count = 1,
                                    .threads = threads_of(b->ops, b->count),
                                    .streams = 1,
                                    .rank = -1,
                                    .world_size = -1,
                                    .wall_ns = -1,
                                    .active_ns = -1,
                                    .path = S(""),
                                    .device = S(""),
                                    .step = -1};
    mem_free(b->ops);
    mem_free(b->launches);
    return program;
}
