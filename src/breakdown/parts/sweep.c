/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

struct state {
    sweep_take *take;
    void *context;
    int64_t now_ns;
    int64_t until_ns[SWEEP_CLASSES]; /* of a class whose bit is set: when it stops */
    uint32_t owner[SWEEP_CLASSES];
    uint32_t active;
    uint32_t latest; /* the row that lasts longest so far */
    int64_t latest_ns;
};

/* Takes the classes out that have stopped by now; returns when the next one will, or the limit. */
static int64_t retire(struct state *s, int64_t limit_ns)
{
    int64_t until = limit_ns;
    for (uint32_t left = s->active; left; left &= left - 1) {
        const int class = __builtin_ctz(left);
        if (s->until_ns[class] <= s->now_ns)
            s->active &= ~(1u << class);
        else if (s->until_ns[class] < until)
            until = s->until_ns[class];
    }
    return until;
}

static void advance(struct state *s, int64_t time_ns, uint32_t next)
{
    while (s->now_ns < time_ns) {
        const int64_t until = retire(s, time_ns);
        const struct sweep_piece piece = {s->now_ns, until,     s->active,
                                          s->owner,  s->latest, until == time_ns ? next : ROW_NONE};
        s->take(s->context, &piece);
        s->now_ns = until;
    }
}

static void note_latest(struct state *s, uint32_t row, int64_t end_ns)
{
    if (end_ns > s->latest_ns) {
        s->latest_ns = end_ns;
        s->latest = row;
    }
}

static void begin(struct state *s, uint32_t row, int class, int64_t end_ns)
{
    if (!(s->active >> class & 1) || end_ns > s->until_ns[class]) {
        s->until_ns[class] = end_ns;
        s->owner[class] = row;
        s->active |= 1u << class;
    }
    note_latest(s, row, end_ns);
}

void sweep(const struct trace *trace, struct rows rows, const uint8_t *class_of, int64_t start_ns, int64_t end_ns,
           sweep_take *take, void *context)
{
    struct state s = {.take = take, .context = context, .now_ns = start_ns, .latest = ROW_NONE, .latest_ns = INT64_MIN};
    uint32_t behind = ROW_NONE;
    for (uint32_t i = 0; i < rows.count && behind == ROW_NONE; i++) {
        const uint32_t row = rows.at[i];
        const int64_t end = trace_end_ns(trace, row);
        if (class_of[i] == SWEEP_IGNORED)
            continue;
        if (trace->start_ns[row] >= end_ns) {
            behind = row;
        } else if (end < start_ns) {
            note_latest(&s, row, end);
        } else {
            advance(&s, trace->start_ns[row], row);
            begin(&s, row, class_of[i], end < end_ns ? end : end_ns);
        }
    }
    advance(&s, end_ns, behind);
}

uint32_t sweep_owner(const struct sweep_piece *piece, uint32_t mask)
{
    const uint32_t here = piece->active & mask;
    return here ? piece->owner[__builtin_ctz(here)] : ROW_NONE;
}
