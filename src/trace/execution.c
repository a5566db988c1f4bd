/* SPDX-License-Identifier: Apache-2.0 */
#include "execution.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/format.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"

enum { MOST_NOTES = 300 };

struct execution *execution_new(void)
{
    struct execution *e = mem_zeroed(sizeof *e);
    e->texts = intern_new();
    e->process = e->start_ms = e->finish_ms = -1;
    return e;
}

void execution_free(struct execution *e)
{
    if (!e)
        return;
    intern_free(e->texts);
    arena_free(&e->arena);
    mem_free(e);
}

void execution_note(struct execution *e, enum note_kind kind, int64_t offset, const char *format, ...)
{
    e->repaired += kind == NOTE_REPAIRED;
    e->dropped += kind == NOTE_DROPPED;
    if (e->note_count >= MOST_NOTES)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    format_text_v(text, sizeof text, format, args);
    va_end(args);
    if (!e->notes)
        e->notes = arena_array(&e->arena, MOST_NOTES, sizeof *e->notes);
    struct note *notes = (struct note *)e->notes;
    notes[e->note_count++] = (struct note){kind, offset, str_printable(&e->arena, str_of(text))};
}

/* ---- order ---- */

static void drop_twin(struct execution *e, const struct execution_draft *draft)
{
    execution_note(e, NOTE_DROPPED, draft->offset, "node %" PRId64 " (%.60s) comes twice; the first counts",
                   draft->node.id, draft->node.name.at);
}

/* The drafts by id, each id once. */
static uint32_t *by_id(struct execution *e, const struct execution_draft *drafts, uint32_t *count)
{
    struct keyed *pairs = mem_alloc((size_t)*count * sizeof *pairs);
    uint32_t *order = mem_alloc((size_t)*count * sizeof *order);
    for (uint32_t i = 0; i < *count; i++)
        pairs[i] = (struct keyed){drafts[i].node.id, i};
    sort_keyed(pairs, *count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (kept && pairs[i].key == drafts[order[kept - 1]].node.id)
            drop_twin(e, &drafts[pairs[i].row]);
        else
            order[kept++] = pairs[i].row;
    mem_free(pairs);
    *count = kept;
    return order;
}

/* ---- parents ---- */

/* Nodes whose parent cannot be: how many, and the first of them. */
struct orphans {
    uint32_t count, first;
};

/* The nodes under construction, in order of their ids. */
struct family {
    struct execution *execution;
    struct execution_node *nodes;
    const struct execution_draft *drafts;
    const uint32_t *order;
    uint32_t count;
    struct intern *names;
    struct map calls; /* pairs of names, of which the one calls the other: the caller */
    uint32_t *orphans;
    uint32_t orphan_count;
};

static int64_t call_key(struct family *f, uint32_t caller, uint32_t called)
{
    const uint32_t outer = intern_id(f->names, f->nodes[caller].name),
                   inner = intern_id(f->names, f->nodes[called].name);
    return (int64_t)((uint64_t)outer << 32 | inner);
}

/* Of each pair the caller; of several callers CALLED_BY_SEVERAL. */
enum { CALLED_BY_SEVERAL = UINT32_MAX - 1 };

static void note_calls(struct family *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t caller = f->nodes[i].parent;
        if (caller == EXECUTION_NONE)
            continue;
        const int64_t key = call_key(f, caller, i);
        const uint32_t known = map_get(&f->calls, key);
        map_put(&f->calls, key, known == MAP_NONE || known == caller ? caller : CALLED_BY_SEVERAL);
    }
}

/* Another call of the caller's name calls one of this name. */
static bool calls_its_like(struct family *f, uint32_t caller, uint32_t called)
{
    const uint32_t known = map_get(&f->calls, call_key(f, caller, called));
    return known != MAP_NONE && known != caller;
}

/*
 * Ids count calls as they begin, so the node before an orphan is the one around it, or lies in it. Of these the innermost
 * that calls its like elsewhere is taken: an orphan that counts as outermost would count again beside the call around it.
 */
static uint32_t likely_parent(struct family *f, uint32_t orphan)
{
    enum { HIGHEST_CLIMB = 64 };
    uint32_t at = orphan ? orphan - 1 : EXECUTION_NONE;
    for (int climb = 0; climb < HIGHEST_CLIMB && at != EXECUTION_NONE; climb++) {
        if (calls_its_like(f, at, orphan))
            return at;
        at = f->nodes[at].parent;
    }
    return EXECUTION_NONE;
}

static void adopt_orphans(struct family *f)
{
    if (!f->orphan_count)
        return;
    f->names = intern_new();
    note_calls(f);
    for (uint32_t i = 0; i < f->orphan_count; i++)
        f->nodes[f->orphans[i]].parent = likely_parent(f, f->orphans[i]);
    map_free(&f->calls);
    intern_free(f->names);
}

static void note_orphans(const struct family *f, const struct orphans *orphans, const char *why)
{
    if (!orphans->count)
        return;
    const struct execution_draft *first = &f->drafts[f->order[orphans->first]];
    const uint32_t parent = f->nodes[orphans->first].parent;
    char others[32] = "", place[64] = "as outermost";
    if (orphans->count > 1)
        format_text(others, sizeof others, " (and so do %u more)", orphans->count - 1);
    if (parent != EXECUTION_NONE)
        format_text(place, sizeof place, "inside node %" PRId64 ", as its like do", f->nodes[parent].id);
    execution_note(f->execution, NOTE_REMARK, first->offset,
                   "node %" PRId64 " (%.60s) names as its parent node %" PRId64 ", which %s%s; it counts %s",
                   first->node.id, first->node.name.at, first->parent_id, why, others, place);
}

/* The node that stands for the process names itself or none, as there is none around it. */
static bool is_root(const struct family *f, uint32_t i)
{
    return i == 0 || !f->drafts[f->order[i]].named_parent ||
           str_starts(f->nodes[i].name, S("[pytorch|profiler|execution_"));
}

static void add_orphan(struct family *f, struct orphans *orphans, uint32_t i)
{
    if (!orphans->count++)
        orphans->first = i;
    f->orphans[f->orphan_count++] = i;
}

/* A call begins after the one around it, so a parent with a greater id cannot be; without such there is no cycle. */
static void find_parents(struct family *f)
{
    struct map index = {0};
    struct orphans lost = {0}, late = {0}, own = {0};
    f->orphans = mem_alloc((size_t)f->count * sizeof *f->orphans);
    for (uint32_t i = 0; i < f->count; i++)
        map_put(&index, f->nodes[i].id, i);
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t parent = map_get(&index, f->drafts[f->order[i]].parent_id);
        f->nodes[i].parent = parent < i ? parent : EXECUTION_NONE;
        if (parent == MAP_NONE)
            add_orphan(f, &lost, i);
        else if (parent > i)
            add_orphan(f, &late, i);
        else if (parent == i && !is_root(f, i))
            add_orphan(f, &own, i);
    }
    adopt_orphans(f);
    note_orphans(f, &lost, "is not in the file");
    note_orphans(f, &late, "began after it (a cycle?)");
    note_orphans(f, &own, "is itself");
    mem_free(f->orphans);
    map_free(&index);
}

void execution_finish(struct execution *e, struct execution_draft *drafts, uint32_t count)
{
    uint32_t *order = by_id(e, drafts, &count);
    struct execution_node *nodes = arena_array(&e->arena, count, sizeof *nodes);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = drafts[order[i]].node;
    struct family family = {.execution = e, .nodes = nodes, .drafts = drafts, .order = order, .count = count};
    find_parents(&family);
    mem_free(order);
    e->nodes = nodes;
    e->count = count;
}
