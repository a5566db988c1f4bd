/* SPDX-License-Identifier: Apache-2.0 */
#include "common.h"

#include <stdlib.h>

#include "base/hash.h"

/* ---- contexts of one line ---- */

static bool same_line(const struct memory_log *log, uint32_t a, uint32_t b)
{
    const struct memory_context *x = &log->contexts[a], *y = &log->contexts[b];
    if (x->recorded != y->recorded || x->node != y->node || x->of_forward != y->of_forward)
        return false;
    const uint32_t frames[2][2] = {{x->user, y->user}, {x->inner, y->inner}};
    for (int i = 0; i < 2; i++) {
        const uint32_t f = frames[i][0], g = frames[i][1];
        if (f == g)
            continue;
        if (f == MEMORY_NONE || g == MEMORY_NONE || log->frames[f].file != log->frames[g].file ||
            log->frames[f].line != log->frames[g].line)
            return false;
    }
    return true;
}

static uint64_t hash_of_frame(const struct memory_log *log, uint64_t hash, uint32_t frame)
{
    return frame == MEMORY_NONE ? hash_add(hash, 1)
                                : hash_add(hash_add(hash, log->frames[frame].file), (uint64_t)log->frames[frame].line);
}

static uint32_t *group_contexts(const struct memory_log *log, struct arena *arena)
{
    struct arena scratch = {0};
    uint32_t *groups = arena_array(arena, log->context_count, sizeof *groups),
             *firsts = arena_array(&scratch, log->context_count, sizeof *firsts), count = 0;
    struct map known = {0};
    for (uint32_t i = 0; i < log->context_count; i++) {
        const struct memory_context *context = &log->contexts[i];
        uint64_t hash = hash_add(context->node, context->recorded);
        hash = hash_of_frame(log, hash_of_frame(log, hash, context->user), context->inner);
        uint32_t group;
        for (; (group = map_get(&known, (int64_t)hash)) != MAP_NONE && !same_line(log, firsts[group], i); hash++)
            ;
        if (group == MAP_NONE) {
            group = count++;
            firsts[group] = i;
            map_put(&known, (int64_t)hash, group);
        }
        groups[i] = group;
    }
    map_free(&known);
    arena_free(&scratch);
    return groups;
}

/* ---- times of steps and optimizers ---- */

static str text_of(const struct memory_log *log, uint32_t name)
{
    return intern_text(log->names, name);
}

static int64_t number_of(str name, int64_t otherwise)
{
    int64_t number;
    return str_starts(name, S("ProfilerStep#")) && str_int(str_from(name, 13), &number) ? number : otherwise;
}

static int by_time(const void *a, const void *b)
{
    const struct memory_mark *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Marks of a name that begins so, of one end alone, in order of time. */
static struct memory_mark *marks_of(const struct memory_log *log, str prefix, bool end, struct arena *arena,
                                    uint32_t *count)
{
    struct memory_mark *marks = arena_array(arena, log->mark_count, sizeof *marks);
    *count = 0;
    for (size_t i = 0; i < log->mark_count; i++)
        if (log->marks[i].end == end && log->marks[i].time_ns >= 0 &&
            str_starts(text_of(log, log->marks[i].name), prefix))
            marks[(*count)++] = log->marks[i];
    if (*count)
        qsort(marks, *count, sizeof *marks, by_time);
    return marks;
}

static struct memory_times times_of(const struct memory_log *log, const struct memory_mark *marks, uint32_t count,
                                    bool named, struct arena *arena)
{
    struct memory_times times = {arena_array(arena, count, sizeof *times.at), count};
    for (uint32_t i = 0; i < count; i++)
        times.at[i] =
            (struct memory_time){marks[i].time_ns, named ? number_of(text_of(log, marks[i].name), i) : (int64_t)i};
    return times;
}

static void take_optimizers(struct memory_common *common, struct arena *scratch)
{
    uint32_t begins, ends, kept = 0;
    const struct memory_mark *begin = marks_of(common->log, S("Optimizer.step#"), false, scratch, &begins);
    struct memory_mark *end = marks_of(common->log, S("Optimizer.step#"), true, scratch, &ends);
    for (uint32_t i = 0; i < ends; i++)
        if (end[i].name == end[0].name)
            end[kept++] = end[i];
    common->optimizer_begins = times_of(common->log, begin, begins, false, &common->arena);
    common->optimizer_ends = times_of(common->log, end, kept, false, &common->arena);
}

static void take_marked_steps(struct memory_common *common, struct arena *scratch)
{
    uint32_t begins, ends;
    const struct memory_mark *begin = marks_of(common->log, S("ProfilerStep#"), false, scratch, &begins);
    const struct memory_mark *end = marks_of(common->log, S("ProfilerStep#"), true, scratch, &ends);
    common->steps = times_of(common->log, begin, begins, true, &common->arena);
    common->steps_end_ns = ends ? end[ends - 1].time_ns : INT64_MAX;
}

static void take_steps(struct memory_common *common)
{
    const struct memory_log *log = common->log;
    common->steps =
        (struct memory_times){arena_array(&common->arena, log->step_count, sizeof *common->steps.at), log->step_count};
    for (uint32_t i = 0; i < log->step_count; i++)
        common->steps.at[i] = (struct memory_time){log->steps[i].start_ns, log->steps[i].number};
    common->steps_end_ns = log->steps[log->step_count - 1].end_ns;
}

/* ---- all of it ---- */

struct memory_common memory_common_new(const struct memory_log *log)
{
    struct memory_common common = {.log = log};
    struct arena scratch = {0};
    common.group_of = group_contexts(log, &common.arena);
    for (size_t i = 0; i < log->owner_count; i++)
        if (log->owners[i].role != MEMORY_NO_ROLE)
            map_put(&common.owners, log->owners[i].address, (uint32_t)i);
    take_optimizers(&common, &scratch);
    if (log->step_count)
        take_steps(&common);
    else
        take_marked_steps(&common, &scratch);
    arena_free(&scratch);
    return common;
}

void memory_common_free(struct memory_common *common)
{
    map_free(&common->owners);
    arena_free(&common->arena);
    *common = (struct memory_common){0};
}
