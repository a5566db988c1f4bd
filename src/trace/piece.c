/* SPDX-License-Identifier: Apache-2.0 */
#include "piece.h"

#include "base/mem.h"
#include "private.h"

struct trace_piece {
    struct trace trace; /* its rows, arrows and notes alone */
    struct trace_private columns;
    str *texts;         /* that came first in it; their bytes are those of the trace it was cut from */
    struct lane *lanes; /* the same; their texts are ids of that trace */
    uint32_t text_count, lane_count;
};

/* ---- cutting ---- */

/* Moves the rows, arrows and notes over; the trace goes on with its texts and lanes. */
static void take_rows(struct trace_piece *piece, struct trace *t)
{
    struct trace_private *const p = t->private;
    piece->trace = *t;
    piece->columns = *p;
    piece->trace.private = &piece->columns;
    *p = (struct trace_private){.names = p->names,
                                .lanes = p->lanes,
                                .lanes_room = p->lanes_room,
                                .lane_index = p->lane_index,
                                .last_lane = p->last_lane,
                                .main_lane = LANE_NONE,
                                .cut_texts = intern_count(p->names),
                                .cut_lanes = t->lane_count};
    *t = (struct trace){.lane_count = t->lane_count, .info = t->info, .private = p};
    trace_mirror(t);
}

struct trace_piece *trace_cut(struct trace *t)
{
    const struct intern *const names = t->private->names;
    const uint32_t text = t->private->cut_texts, lane = t->private->cut_lanes;
    struct trace_piece *const piece = mem_alloc(sizeof *piece);
    piece->text_count = intern_count(names) - text;
    piece->texts = mem_alloc(piece->text_count * sizeof *piece->texts);
    for (uint32_t i = 0; i < piece->text_count; i++)
        piece->texts[i] = intern_text(names, text + i);
    piece->lane_count = t->lane_count - lane;
    piece->lanes = mem_alloc(piece->lane_count * sizeof *piece->lanes);
    for (uint32_t i = 0; i < piece->lane_count; i++)
        piece->lanes[i] = t->lanes[lane + i];
    take_rows(piece, t);
    return piece;
}

void trace_piece_free(struct trace_piece *piece)
{
    if (!piece)
        return;
    trace_free_rows(&piece->trace);
    mem_free(piece->texts);
    mem_free(piece->lanes);
    mem_free(piece);
}

/* ---- joining ---- */

static void add_renames(struct trace *to, const struct trace_piece *piece, struct trace_renames *r)
{
    r->text = mem_grow(r->text, &r->texts_room, r->texts + piece->text_count, sizeof *r->text);
    for (uint32_t i = 0; i < piece->text_count; i++)
        r->text[r->texts++] = intern_id(to->private->names, piece->texts[i]);
    r->lane = mem_grow(r->lane, &r->lanes_room, r->lanes + piece->lane_count, sizeof *r->lane);
    for (uint32_t i = 0; i < piece->lane_count; i++) {
        struct lane lane = piece->lanes[i];
        lane.process_text = r->text[lane.process_text];
        lane.id_text = r->text[lane.id_text];
        r->lane[r->lanes++] = trace_lane(to, lane);
    }
}

static void join_rows(struct trace *to, const struct trace *from, const struct trace_renames *renames)
{
    trace_make_room(to, from->count);
    struct trace_private *const p = to->private;
    const struct trace_private *const q = from->private;
    const uint32_t first = to->count, rows = from->count;
    if (rows) {
        memcpy(p->start_ns + first, q->start_ns, rows * sizeof *p->start_ns);
        memcpy(p->dur_ns + first, q->dur_ns, rows * sizeof *p->dur_ns);
        memcpy(p->kind + first, q->kind, rows * sizeof *p->kind);
    }
    for (uint32_t row = 0; row < rows; row++) {
        p->name[first + row] = renames->text[q->name[row]];
        p->lane[first + row] = renames->lane[q->lane[row]];
    }
    for (int a = 0; a < ATTRS; a++)
        sparse_join(&p->attr[a], &q->attr[a], first, rows, attr_is_text(a) ? renames->text : NULL);
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        to->kinds[kind] += from->kinds[kind];
    to->count += rows;
}

static void join_flows(struct trace *to, const struct trace *from, const struct trace_renames *renames)
{
    for (size_t i = 0; i < from->private->flow_count; i++) {
        struct flow flow = from->private->flows[i];
        flow.lane = renames->lane[flow.lane];
        trace_add_flow(to, flow);
    }
}

static void join_notes(struct trace *to, const struct trace *from)
{
    to->repaired += from->repaired;
    to->dropped += from->dropped;
    for (uint32_t i = 0; i < from->note_count; i++)
        trace_keep_note(to, from->private->notes[i]);
}

void trace_join(struct trace *to, struct trace_piece *piece, struct trace_renames *renames)
{
    add_renames(to, piece, renames);
    join_rows(to, &piece->trace, renames);
    join_flows(to, &piece->trace, renames);
    join_notes(to, &piece->trace);
    trace_piece_free(piece);
}

void trace_renames_free(struct trace_renames *renames)
{
    mem_free(renames->text);
    mem_free(renames->lane);
    *renames = (struct trace_renames){0};
}
