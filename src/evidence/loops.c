/* SPDX-License-Identifier: Apache-2.0 */
#include "loops.h"

#include "base/mem.h"
#include "base/sort.h"

enum { LOOPING = 10 };

/* By text: operators that touch an element or a row of a tensor. */
static bool *accessing(const struct trace *trace, struct arena *arena)
{
    static const char *const names[] = {"aten::select", "aten::item",   "aten::is_nonzero", "aten::index",
                                        "aten::slice",  "aten::narrow", "aten::unbind",     "aten::embedding"};
    bool *texts = arena_array(arena, trace_text_count(trace), sizeof *texts);
    for (uint32_t id = 0; id < trace_text_count(trace); id++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            texts[id] |= str_eq(trace_text(trace, id), str_of(names[i]));
    return texts;
}

struct calls {
    struct keyed *at; /* key: the run of the function and the operator */
    size_t count, room;
};

/* An operator that another one calls is none of the program's own. */
static void add_call(struct calls *calls, const struct trace *trace, struct stacks *stacks, uint32_t row)
{
    const struct place place = place_of(stacks, row);
    if (place.row == ROW_NONE || place.backward)
        return;
    const uint32_t parent = trace->parent[row];
    if (parent != ROW_NONE && trace->start_ns[parent] >= trace->start_ns[place.row])
        return;
    calls->at = mem_grow(calls->at, &calls->room, calls->count + 1, sizeof *calls->at);
    calls->at[calls->count++] = (struct keyed){(int64_t)((uint64_t)place.row << 32 | trace->name[row]), row};
}

static void add_lane(struct calls *calls, const struct trace *trace, struct stacks *stacks, uint32_t lane,
                     const bool *texts)
{
    const struct rows rows = trace_rows(trace, lane, NEST_CALLS);
    for (uint32_t i = 0; i < rows.count; i++)
        if (trace->kind[rows.at[i]] == EVENT_OPERATOR && texts[trace->name[rows.at[i]]])
            add_call(calls, trace, stacks, rows.at[i]);
}

/* How many calls from `first` on are of one run, one operator and one step. */
static size_t alike(const struct calls *calls, const struct trace *trace, size_t first)
{
    const uint32_t step = trace_step(trace, calls->at[first].row);
    size_t end = first + 1;
    while (end < calls->count && calls->at[end].key == calls->at[first].key &&
           trace_step(trace, calls->at[end].row) == step)
        end++;
    return end - first;
}

static struct element_loops loops_in(const struct calls *calls, const struct trace *trace, struct arena *arena)
{
    uint32_t *rows = arena_array(arena, calls->count, sizeof *rows);
    struct element_loop *loops = arena_array(arena, calls->count / LOOPING, sizeof *loops);
    uint32_t count = 0;
    for (size_t i = 0; i < calls->count; i++)
        rows[i] = calls->at[i].row;
    for (size_t i = 0, run; i < calls->count; i += run) {
        run = alike(calls, trace, i);
        const uint64_t key = (uint64_t)calls->at[i].key;
        if (run >= LOOPING && trace_step(trace, rows[i]) != STEP_NONE)
            loops[count++] = (struct element_loop){(uint32_t)(key >> 32), (uint32_t)key, rows + i, (uint32_t)run};
    }
    return (struct element_loops){loops, count};
}

struct element_loops element_loops_of(const struct trace *trace, struct stacks *stacks, struct arena *arena)
{
    if (!trace->kinds[EVENT_PYTHON])
        return (struct element_loops){NULL, 0};
    struct arena scratch = {0};
    struct calls calls = {0};
    const bool *texts = accessing(trace, &scratch);
    for (uint32_t lane = 0; lane < trace->lane_count; lane++)
        if (!trace->lanes[lane].device)
            add_lane(&calls, trace, stacks, lane, texts);
    sort_keyed(calls.at, calls.count);
    const struct element_loops loops = loops_in(&calls, trace, arena);
    mem_free(calls.at);
    arena_free(&scratch);
    return loops;
}
