/* SPDX-License-Identifier: Apache-2.0 */
/* A path is found from that around it and a name, so paths are numbered from the outside in. */
#include "operator_paths.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"

enum { UNSEEN = UINT32_MAX };

struct finding {
    const struct trace *trace;
    const struct step *steps;
    struct operator_paths out;
    size_t room;
    struct map known;      /* a path and a name to the path inside */
    uint32_t *of_row;      /* by row: the path of an operator; UNSEEN */
    struct arena *scratch; /* of the sums */
};

/* ---- paths ---- */

static uint32_t path_inside(struct finding *f, uint32_t parent, uint32_t name)
{
    const int64_t key = (int64_t)((uint64_t)(parent + 1) << 32 | name);
    const uint32_t known = map_get(&f->known, key);
    if (known != MAP_NONE)
        return known;
    map_put(&f->known, key, f->out.count);
    f->out.at = mem_grow(f->out.at, &f->room, f->out.count + 1, sizeof *f->out.at);
    f->out.at[f->out.count] = (struct operator_path){
        .name = trace_text(f->trace, name),
        .parent = parent,
        .step_ns = arena_array(f->scratch, f->out.steps, sizeof(int64_t)),
    };
    return f->out.count++;
}

static uint32_t operator_around(const struct trace *trace, uint32_t row)
{
    do
        row = trace->parent[row];
    while (row != ROW_NONE && trace->kind[row] != EVENT_OPERATOR);
    return row;
}

/* Calls may nest as deep as a file wants: first up to what is known, then down again. */
static uint32_t path_of(struct finding *f, uint32_t row)
{
    struct arena scratch = {0};
    uint32_t depth = 0, top = row;
    while (top != ROW_NONE && f->of_row[top] == UNSEEN) {
        top = operator_around(f->trace, top);
        depth++;
    }
    uint32_t path = top == ROW_NONE ? PATH_OUTERMOST : f->of_row[top];
    uint32_t *const chain = arena_room(&scratch, depth, sizeof *chain);
    for (uint32_t i = depth, at = row; i-- > 0; at = operator_around(f->trace, at))
        chain[i] = at;
    for (uint32_t i = 0; i < depth; i++)
        f->of_row[chain[i]] = path = path_inside(f, path, f->trace->name[chain[i]]);
    arena_free(&scratch);
    return path;
}

/* ---- their times ---- */

/* The selected step that the time is in; UNSEEN. */
static uint32_t step_at(const struct finding *f, int64_t time_ns)
{
    const size_t next =
        search_after(f->steps, f->out.steps, sizeof *f->steps, offsetof(struct step, start_ns), time_ns);
    return next && time_ns < f->steps[next - 1].end_ns ? (uint32_t)next - 1 : UNSEEN;
}

static void add_host(struct finding *f, uint32_t path, uint32_t step, int64_t ns)
{
    sum_to(&f->out.at[path].host_ns, ns);
    if (!f->out.device)
        sum_to(&f->out.at[path].step_ns[step], ns);
}

/* Its time is its own, and not that of the operator around it. */
static void add_call(struct finding *f, uint32_t row)
{
    const uint32_t step = step_at(f, f->trace->start_ns[row]), around = operator_around(f->trace, row);
    if (step == UNSEEN)
        return;
    const uint32_t path = path_of(f, row);
    f->out.at[path].calls++;
    add_host(f, path, step, f->trace->dur_ns[row]);
    if (around != ROW_NONE && step_at(f, f->trace->start_ns[around]) == step)
        add_host(f, path_of(f, around), step, -f->trace->dur_ns[row]);
}

static void add_work(struct finding *f, uint32_t row)
{
    const uint32_t around = trace_operator(f->trace, row);
    const uint32_t step = around == ROW_NONE ? UNSEEN : step_at(f, f->trace->start_ns[around]);
    if (step == UNSEEN)
        return;
    const uint32_t inside = path_of(f, around); /* which may move them all */
    struct operator_path *path = &f->out.at[inside];
    sum_to(&path->device_ns, f->trace->dur_ns[row]);
    sum_to(&path->step_ns[step], f->trace->dur_ns[row]);
}

static void add_all(struct finding *f)
{
    for (uint32_t row = 0; row < f->trace->count; row++)
        if (f->trace->kind[row] == EVENT_OPERATOR)
            add_call(f, row);
        else if (event_is_device_work(f->trace->kind[row]))
            add_work(f, row);
}

/* ---- the largest first ---- */

/* With all in them, so that a path never comes before that around it. */
static struct keyed *by_weight(const struct finding *f)
{
    int64_t *whole = arena_array(f->scratch, f->out.count, sizeof *whole);
    struct keyed *order = arena_array(f->scratch, f->out.count, sizeof *order);
    for (uint32_t i = f->out.count; i-- > 0;) {
        const struct operator_path *path = &f->out.at[i];
        sum_to(&whole[i], f->out.device ? path->device_ns : path->host_ns);
        if (whole[i] < 0)
            whole[i] = 0;
        if (path->parent != PATH_OUTERMOST)
            sum_to(&whole[path->parent], whole[i]);
        order[i].row = i;
    }
    for (uint32_t i = 0; i < f->out.count; i++)
        order[i].key = -whole[i];
    sort_keyed(order, f->out.count); /* stable: of equal ones the outer first */
    return order;
}

static struct operator_paths finished(const struct finding *f, struct arena *arena)
{
    const struct keyed *order = by_weight(f);
    uint32_t *place = arena_array(f->scratch, f->out.count, sizeof *place);
    struct operator_paths out = f->out;
    out.at = arena_array(arena, out.count, sizeof *out.at);
    out.found = out.count;
    for (uint32_t i = 0; i < out.count; i++) {
        out.at[i] = f->out.at[order[i].row];
        place[order[i].row] = i;
        out.at[i].name = str_copy(arena, out.at[i].name);
        out.at[i].step_ns = arena_array(arena, out.steps, sizeof(int64_t));
        memcpy(out.at[i].step_ns, f->out.at[order[i].row].step_ns, out.steps * sizeof(int64_t));
        if (out.at[i].parent != PATH_OUTERMOST)
            out.at[i].parent = place[out.at[i].parent];
    }
    return out;
}

struct operator_paths operator_paths_of(const struct trace *trace, const struct selection *selection,
                                        struct arena *arena)
{
    struct arena scratch = {0};
    const struct step_range range = selection_steps(trace, selection);
    struct finding f = {.trace = trace, .steps = trace->steps + range.first, .scratch = &scratch};
    f.out.steps = range.count;
    f.out.device = trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET] > 0;
    f.of_row = arena_room(&scratch, trace->count, sizeof *f.of_row);
    memset(f.of_row, 0xFF, trace->count * sizeof *f.of_row); /* UNSEEN */
    add_all(&f);
    const struct operator_paths out = finished(&f, arena);
    mem_free(f.out.at);
    map_free(&f.known);
    arena_free(&scratch);
    return out;
}
