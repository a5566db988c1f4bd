/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled_again.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/sum.h"

enum { MOST_SIZES = 16 };

struct group {
    struct again again;
    struct buf sizes;
    uint32_t size_count;
    int64_t last;
};

static uint32_t group_of(const struct log_compile *compile, struct intern *keys)
{
    struct arena scratch = {0};
    const str tensor = compile->size.tensor, subject = compile->value.subject;
    const str key =
        str_printf(&scratch, "%lld %lld %lld %lld %.*s %.*s", (long long)compile->rank, (long long)compile->process,
                   (long long)compile->frame, (long long)compile->size.dimension, (int)tensor.len, tensor.at,
                   (int)subject.len, subject.at);
    const uint32_t id = intern_id(keys, key) - 1; /* 0 is the empty text */
    arena_free(&scratch);
    return id;
}

static void add_value(struct group *group, str value)
{
    if (group->size_count++ < MOST_SIZES)
        buf_printf(&group->sizes, "%s%.*s", group->size_count > 1 ? ", " : "", (int)value.len, value.at);
    else if (group->size_count == MOST_SIZES + 1)
        buf_add(&group->sizes, S(", ..."));
}

static void add_size(struct group *group, int64_t size)
{
    struct arena scratch = {0};
    if (group->size_count && group->last == size)
        return;
    group->last = size;
    add_value(group, str_printf(&scratch, "%lld", (long long)size));
    arena_free(&scratch);
}

static int64_t in_steps_ns(const struct compiled_event *event)
{
    return event && event->in_step ? event->dur_ns : 0;
}

static void add(struct group *group, const struct log_compile *compile, const struct joined *joined)
{
    struct again *again = &group->again;
    if (!again->times++)
        again->first = compile;
    if (compile->took_ns > 0)
        sum_to(&again->time_ns, compile->took_ns);
    if (compile->backward_ns > 0)
        sum_to(&again->time_ns, compile->backward_ns);
    if (compile->size.tensor.len) {
        if (!group->size_count)
            add_size(group, compile->size.expected);
        add_size(group, compile->size.actual);
    } else if (compile->value.subject.len) {
        add_value(group, compile->value.value);
    }
    const int64_t forward_ns = in_steps_ns(joined->event), backward_ns = in_steps_ns(joined->backward);
    again->in_steps += forward_ns > 0 || backward_ns > 0;
    sum_to(&again->in_steps_ns, forward_ns);
    sum_to(&again->in_steps_ns, backward_ns);
}

static int longest_first(const void *a, const void *b)
{
    const struct again *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

struct again *compiled_again(const struct compile_log *log, const struct joined *joined, struct arena *arena,
                             uint32_t *count)
{
    struct intern *keys = intern_new();
    struct group *groups = NULL;
    size_t room = 0;
    for (uint32_t i = 0; i < log->compile_count; i++) {
        const struct log_compile *compile = &log->compiles[i];
        if (!compile->number && !compile->reason.len)
            continue;
        const uint32_t id = group_of(compile, keys);
        const size_t before = room;
        groups = mem_grow(groups, &room, (size_t)id + 1, sizeof *groups);
        if (room > before)
            memset(groups + before, 0, (room - before) * sizeof *groups);
        add(&groups[id], compile, &joined[i]);
    }
    *count = intern_count(keys) - 1;
    intern_free(keys);
    struct again *agains = arena_array(arena, *count, sizeof *agains);
    for (uint32_t i = 0; i < *count; i++) {
        agains[i] = groups[i].again;
        agains[i].sizes = str_copy(arena, buf_str(&groups[i].sizes));
        buf_free(&groups[i].sizes);
    }
    mem_free(groups);
    if (*count)
        qsort(agains, *count, sizeof *agains, longest_first);
    return agains;
}
