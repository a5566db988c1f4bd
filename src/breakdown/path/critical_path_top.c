/* SPDX-License-Identifier: Apache-2.0 */
#include "critical_path_top.h"

#include "base/mem.h"
#include "base/sort.h"
#include "ops/rows/kernel_title.h"

static struct path_group *group_of(struct path_groups *groups, enum path_class class, uint32_t name)
{
    const int64_t key = (int64_t)name * PATH_CLASSES + class;
    const uint32_t found = map_get(&groups->places, key);
    if (found != MAP_NONE)
        return &groups->at[found];
    map_put(&groups->places, key, (uint32_t)groups->count);
    groups->at = mem_grow(groups->at, &groups->room, groups->count + 1, sizeof *groups->at);
    struct path_group *group = &groups->at[groups->count++];
    *group = (struct path_group){.class = class, .name = name, .longest = ROW_NONE};
    return group;
}

void path_groups_add(struct path_groups *groups, const struct trace *trace, const struct path_piece *piece, int64_t ns)
{
    struct path_group *group = group_of(groups, piece->class, piece->row == ROW_NONE ? 0 : trace->name[piece->row]);
    group->count++;
    group->ns += ns;
    if (ns <= group->longest_ns)
        return;
    group->longest_ns = ns;
    group->longest = piece->row;
}

static str operator_of(const struct trace *trace, const struct path_group *group)
{
    const bool call = group->class == PATH_LAUNCH || group->class == PATH_RUNTIME || group->class == PATH_SYNC;
    if (group->longest == ROW_NONE || (!event_on_device(trace->kind[group->longest]) && !call))
        return S("");
    const uint32_t around = trace_operator(trace, group->longest);
    return around == ROW_NONE ? S("") : trace_name(trace, around);
}

static struct path_top top_of(const struct trace *trace, const struct path_group *group, struct arena *arena)
{
    const str name = str_copy(arena, trace_text(trace, group->name));
    return (struct path_top){
        .class = group->class,
        .name = name,
        .title = group->longest == ROW_NONE ? name : event_title(trace->kind[group->longest], name, arena),
        .operator= str_copy(arena, operator_of(trace, group)),
        .count = group->count,
        .ns = group->ns,
    };
}

struct path_top *path_groups_top(const struct path_groups *groups, const struct trace *trace, uint32_t most,
                                 struct arena *arena, uint32_t *count)
{
    struct arena scratch = {0};
    struct keyed *order = arena_array(&scratch, groups->count, sizeof *order);
    for (size_t i = 0; i < groups->count; i++)
        order[i] = (struct keyed){-groups->at[i].ns, (uint32_t)i};
    sort_keyed(order, groups->count);
    *count = groups->count < most ? (uint32_t)groups->count : most;
    struct path_top *tops = arena_array(arena, *count, sizeof *tops);
    for (uint32_t i = 0; i < *count; i++)
        tops[i] = top_of(trace, &groups->at[order[i].row], arena);
    arena_free(&scratch);
    return tops;
}

void path_groups_free(struct path_groups *groups)
{
    map_free(&groups->places);
    mem_free(groups->at);
    *groups = (struct path_groups){0};
}
