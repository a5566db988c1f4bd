/* SPDX-License-Identifier: Apache-2.0 */
#include "question.h"

#include <math.h>

#include "base/error.h"
#include "base/real.h"
#include "change.h"

/* ---- what is asked ---- */

static bool has_speed(const struct question *question)
{
    return question->cpu_speed > 0 && question->cpu_speed != 1;
}

/* A part of a question: whether it is asked, and what it does. In the order in which they are applied. */
struct part {
    bool (*asked)(const struct question *question);
    change_part *apply;
};

static bool asks_batch(const struct question *question)
{
    return question->batch > 0;
}

static bool asks_ranks(const struct question *question)
{
    return question->ranks > 0;
}

static bool asks_amp(const struct question *question)
{
    return question->amp != DTYPE_UNKNOWN;
}

static bool asks_fuse(const struct question *question)
{
    return question->fuse_count > 0;
}

static bool asks_remove(const struct question *question)
{
    return question->remove_count > 0;
}

static bool asks_without(const struct question *question)
{
    return question->without_count > 0;
}

static bool asks_pinned(const struct question *question)
{
    return question->pinned;
}

static bool asks_no_sync(const struct question *question)
{
    return question->no_sync;
}

static bool asks_cuda_graph(const struct question *question)
{
    return question->cuda_graph;
}

static bool asks_scale(const struct question *question)
{
    return question->scale_count > 0;
}

static bool asks_overlap(const struct question *question)
{
    return question->overlap > 0;
}

static bool asks_reorder(const struct question *question)
{
    return question->reorder;
}

static const struct part parts[] = {
    {asks_batch, change_batch},     {asks_ranks, change_ranks},     {asks_amp, change_amp},
    {asks_fuse, change_fuse},       {asks_remove, change_remove},   {asks_without, change_without_ids},
    {asks_pinned, change_pinned},   {asks_no_sync, change_no_sync}, {asks_cuda_graph, change_cuda_graph},
    {has_speed, change_cpu_speed},  {asks_scale, change_scale},     {asks_overlap, change_overlap},
    {asks_reorder, change_reorder},
};

bool question_is_empty(const struct question *question)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].asked(question))
            return false;
    return !question->hw.len && !question->set_count;
}

bool question_can_replay(const struct question *question)
{
    return !question->reorder;
}

/* ---- words ---- */

enum { MOST_FACTOR = 1000000 }; /* as of --cpu-speed */

bool question_read_scale(str text, struct question_scale *scale, struct steptime_error *err)
{
    const char *equals = text.len ? memrchr(text.at, '=', text.len) : NULL;
    const str number = equals ? str_from(text, (size_t)(equals - text.at) + 1) : S("");
    double factor;
    if (!real_read(number, &factor) || factor < 0 || factor > MOST_FACTOR || equals == text.at)
        return fail(err, STEPTIME_USAGE,
                    "--scale is OPERATOR=FACTOR like aten::mm=0.5, with a factor from 0 to %d, not '%.*s'", MOST_FACTOR,
                    (int)text.len, text.at);
    *scale = (struct question_scale){{text.at, (size_t)(equals - text.at)}, factor};
    return true;
}

bool question_read_amp(str text, enum dtype *dtype, struct steptime_error *err)
{
    if (str_eq(text, S("bf16")))
        *dtype = DTYPE_BF16;
    else if (str_eq(text, S("fp16")))
        *dtype = DTYPE_F16;
    else
        return fail(err, STEPTIME_USAGE, "--amp is bf16 or fp16, not '%.*s'", (int)text.len, text.at);
    return true;
}

bool question_hardware(const struct question *question, str recorded, struct arena *arena, struct hardware *hardware,
                       bool *asked, struct steptime_error *err)
{
    *asked = question->hw.len || question->set_count;
    if (!*asked)
        return true;
    if (!question->hw.len && !recorded.len)
        return fail(err, STEPTIME_USAGE, "the device is not recorded; say which with --hw before --set changes it");
    if (!(question->hw.len ? hardware_find(question->hw, arena, hardware, err)
                           : hardware_recorded(recorded, arena, hardware, err)))
        return false;
    for (uint32_t i = 0; i < question->set_count; i++)
        if (!hardware_set(hardware, question->sets[i], arena, err))
            return false;
    return true;
}

/* ---- names that must fit ---- */

uint32_t question_names(const struct question *question)
{
    return question->remove_count + question->scale_count + question->fuse_count + question->without_count;
}

static str name_at(const struct question *question, uint32_t i, const char **flag)
{
    *flag = i < question->remove_count ? "--remove" : "--scale";
    if (i < question->remove_count)
        return question->remove[i];
    i -= question->remove_count;
    if (i < question->scale_count)
        return question->scale[i].name;
    *flag = "--fuse";
    return question->fuse[i - question->scale_count];
}

static bool fits_nothing(const struct question *question, uint32_t i, struct steptime_error *err)
{
    const char *flag;
    const uint32_t names = question_names(question) - question->without_count;
    if (i >= names)
        return fail(err, STEPTIME_USAGE, "--without: nothing has the id %lld", (long long)question->without[i - names]);
    const str name = name_at(question, i, &flag);
    return fail(err, STEPTIME_USAGE, "%s: nothing in the step is '%.*s'", flag, (int)name.len, name.at);
}

bool question_check_met(const struct question *question, const uint64_t *met, struct steptime_error *err)
{
    for (uint32_t i = 0; i < question_names(question); i++)
        if (!met[i])
            return fits_nothing(question, i, err);
    return true;
}

bool change_meet(struct changing *changing, uint32_t name, uint32_t fits)
{
    if (changing->context->met)
        changing->context->met[name] += fits;
    return fits || changing->context->met || fits_nothing(changing->question, name, changing->err);
}

/* ---- putting it to a plan ---- */

void change_tell(struct changing *changing, str line)
{
    struct question_told *told = changing->told;
    if (told)
        told->lines[told->count++] = line;
}

struct plan plan_copy(const struct plan *plan, struct arena *arena)
{
    struct plan copy = *plan;
    copy.ops = arena_array(arena, plan->count, sizeof *copy.ops);
    copy.launches = arena_array(arena, plan->launch_count, sizeof *copy.launches);
    if (plan->count)
        memcpy(copy.ops, plan->ops, plan->count * sizeof *copy.ops);
    if (plan->launch_count)
        memcpy(copy.launches, plan->launches, plan->launch_count * sizeof *copy.launches);
    return copy;
}

bool question_apply(const struct question *question, const struct question_context *context, struct plan *plan,
                    struct arena *arena, struct question_told *told, struct steptime_error *err)
{
    enum { PARTS = sizeof parts / sizeof *parts };
    struct changing changing = {question, context, plan, arena, told, err};
    if (told)
        *told = (struct question_told){arena_array(arena, PARTS, sizeof *told->lines), 0};
    for (int i = 0; i < PARTS; i++)
        if (parts[i].asked(question) && !parts[i].apply(&changing))
            return false;
    plan_sum(plan);
    return true;
}
