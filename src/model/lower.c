/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call is parsed, its row of the table found, and the row's lowering adds
 * kernels. What comes out is checked once more, so that nobody meets a kernel
 * without sizes.
 */
#include "lower.h"

#include "lower_work.h"
#include "ops/rules.h"

str lowering_way_word(enum lowering_way way)
{
    static const char *const words[LOWERING_WAYS] = {
        [LOWERED_TO_KERNELS] = "kernels",       [LOWERED_TO_CALLS] = "calls", [LOWERED_TO_NOTHING] = "nothing",
        [LOWERED_TO_COLLECTIVE] = "collective", [LOWERED_TO_BYTES] = "bytes", [LOWERED_NOT] = "not",
    };
    return (unsigned)way < LOWERING_WAYS ? str_of(words[way]) : S("");
}

/* ---- kernels ---- */

static struct kernel *room_for(struct lower_work *work, uint32_t count)
{
    if (work->count + count <= work->room)
        return &work->kernels[work->count];
    const uint32_t room = 2 * work->room + count + 4;
    struct kernel *wider = arena_array(work->arena, room, sizeof *wider);
    for (uint32_t i = 0; i < work->count; i++)
        wider[i] = work->kernels[i];
    work->kernels = wider;
    work->room = room;
    return &work->kernels[work->count];
}

void lower_add(struct lower_work *work, enum kernel_form form, enum dtype dtype, const int64_t *sizes)
{
    struct kernel *kernel = room_for(work, 1);
    *kernel = (struct kernel){.form = form, .dtype = dtype, .variant = S("")};
    for (uint32_t i = 0; i < kernel_form_sizes(form); i++)
        kernel->size[i] = sizes[i];
    if (kernel_check(kernel))
        work->empty = true;
    else
        work->count++;
}

enum { LAUNCHES_MOST = 4096 }; /* of one call; more come from damaged shapes */

void lower_repeat(struct lower_work *work, uint32_t count)
{
    count = count < LAUNCHES_MOST ? count : LAUNCHES_MOST;
    for (uint32_t i = 1; i < count; i++) {
        *room_for(work, 1) = work->kernels[work->count - 1];
        work->count++;
    }
}

bool lower_miss(struct lower_work *work, const char *why)
{
    work->why = why;
    return false;
}

/* ---- the call ---- */

static void parse(const struct op_arguments *arguments, str name, struct arena *scratch, struct op_call *call)
{
    *call = (struct op_call){.in_place = str_ends(name, S("_"))};
    if (!shape_parse(arguments->dims, scratch, &call->shape))
        return;
    text_list_parse(arguments->types, scratch, &call->types);
    text_list_parse(arguments->values, scratch, &call->values);
    shape_parse(arguments->strides, scratch, &call->strides);
}

static struct lowering by_bytes(struct lower_work *work, const char *why)
{
    work->count = 0;
    if (!lower_bytes_alone(work))
        return (struct lowering){.way = LOWERED_NOT, .why = work->why};
    return (struct lowering){LOWERED_TO_BYTES, work->kernels, work->count, why};
}

static struct lowering by_row(struct lower_work *work, const struct lower_row *row)
{
    struct lowering lowering = {.way = row->way};
    if (!row->lower)
        return lowering;
    if (!row->lower(work, &row->variant)) {
        if (row->way == LOWERED_TO_CALLS)
            return lowering; /* the calls inside know more */
        return by_bytes(work, work->why);
    }
    lowering.kernels = work->kernels;
    lowering.count = work->count;
    if (row->way == LOWERED_TO_KERNELS && !work->count)
        lowering.way = LOWERED_TO_NOTHING;
    return lowering;
}

struct lowering lower(const struct lowered_call *call, struct arena *arena)
{
    struct arena scratch = {0};
    struct lower_work work = {.asked = call, .arena = arena};
    parse(call->arguments, call->name, &scratch, &work.call);
    if (call->forward_arguments)
        parse(call->forward_arguments, call->forward, &scratch, &work.forward);
    const struct lower_row *row = lower_row_of(call->name);
    struct lowering lowering = {.way = LOWERED_NOT, .why = "a size of it is too large to be one"};
    if (shape_fits(&work.call.shape) && shape_fits(&work.forward.shape))
        lowering = row ? by_row(&work, row) : by_bytes(&work, "no form of this operator");
    arena_free(&scratch);
    return lowering;
}

bool lower_knows(str name)
{
    return lower_row_of(name) != NULL;
}
