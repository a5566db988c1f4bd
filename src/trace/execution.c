/* SPDX-License-Identifier: Apache-2.0 */
#include "execution.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/format.h"
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
    uint32_t count;
    const struct execution_draft *first;
};

static void add_orphan(struct orphans *orphans, const struct execution_draft *draft)
{
    if (!orphans->count++)
        orphans->first = draft;
}

static void note_orphans(struct execution *e, const struct orphans *orphans, const char *why)
{
    const struct execution_draft *first = orphans->first;
    char others[32] = "";
    if (!orphans->count)
        return;
    if (orphans->count > 1)
        format_text(others, sizeof others, " (and so do %u more)", orphans->count - 1);
    execution_note(e, NOTE_REMARK, first->offset,
                   "node %" PRId64 " (%.60s) names as its parent node %" PRId64 ", which %s%s; it counts as outermost",
                   first->node.id, first->node.name.at, first->parent_id, why, others);
}

/* A call begins after the one around it, so a parent with a greater id cannot be; without such there is no cycle. */
static void find_parents(struct execution *e, struct execution_node *nodes, const struct execution_draft *drafts,
                         const uint32_t *order, uint32_t count)
{
    struct map index = {0};
    struct orphans lost = {0}, late = {0};
    for (uint32_t i = 0; i < count; i++)
        map_put(&index, nodes[i].id, i);
    for (uint32_t i = 0; i < count; i++) {
        const struct execution_draft *draft = &drafts[order[i]];
        const uint32_t parent = map_get(&index, draft->parent_id);
        nodes[i].parent = parent < i ? parent : EXECUTION_NONE;
        if (parent == MAP_NONE)
            add_orphan(&lost, draft);
        else if (parent > i)
            add_orphan(&late, draft);
    }
    note_orphans(e, &lost, "is not in the file");
    note_orphans(e, &late, "began after it (a cycle?)");
    map_free(&index);
}

void execution_finish(struct execution *e, struct execution_draft *drafts, uint32_t count)
{
    uint32_t *order = by_id(e, drafts, &count);
    struct execution_node *nodes = arena_array(&e->arena, count, sizeof *nodes);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = drafts[order[i]].node;
    find_parents(e, nodes, drafts, order, count);
    mem_free(order);
    e->nodes = nodes;
    e->count = count;
}
