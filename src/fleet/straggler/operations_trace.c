/* SPDX-License-Identifier: Apache-2.0 */
#include "operations_trace.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "operations_kinds.h"
#include "graph/order.h"
#include "ops/rows/phase.h"

/* Work of the device, or a call of a collective on the host, as the host launched it. */
struct launched {
    int64_t launch_ns, start_ns, end_ns;
    uint32_t step; /* index */
    int64_t group_size;
    struct collective_class class;
    uint8_t kind;
    bool numbered;
    bool meets; /* a collective */
    bool waits; /* for other streams, as the host told it to */
};

struct listing {
    const struct trace *trace;
    struct arena *arena; /* of the result */
    struct launched *launched;
    size_t count, room;
    struct rank_operation *out;
    size_t out_count, out_room;
};

static void add(struct listing *listing, struct launched launched)
{
    if (launched.step == STEP_NONE || launched.end_ns < launched.start_ns)
        return;
    listing->launched = mem_grow(listing->launched, &listing->room, listing->count + 1, sizeof *listing->launched);
    listing->launched[listing->count++] = launched;
}

/* ---- what was launched ---- */

static int64_t launch_ns(const struct trace *trace, uint32_t row)
{
    const uint32_t cause = trace->cause[row];
    return cause == ROW_NONE ? trace->start_ns[row] : trace->start_ns[cause];
}

static bool meets(const struct collective *collective)
{
    return collective_is_blocking((enum collective_kind)collective->kind) && collective->dur_ns >= 0 &&
           !collective->queued_before;
}

static void list_collectives(struct listing *listing, const struct collectives *collectives, bool *taken)
{
    for (uint32_t i = 0; i < collectives->count; i++) {
        const struct collective *collective = &collectives->at[i];
        if (!meets(collective))
            continue;
        const struct collective_group *group = &collectives->groups[collective->group];
        taken[collective->row] = true;
        add(listing, (struct launched){.launch_ns = collective->on_host ? collective->call_ns
                                                                        : launch_ns(listing->trace, collective->row),
                                       .start_ns = collective->start_ns,
                                       .end_ns = collective->start_ns + collective->dur_ns,
                                       .step = collective->step,
                                       .group_size = group->size,
                                       .class = collective_class(collective, group),
                                       .numbered = collective->seq >= 0,
                                       .kind = KIND_COLLECTIVE + collective->kind,
                                       .meets = true});
    }
}

static uint8_t kind_of_phase(enum phase phase)
{
    static const uint8_t kinds[PHASES] = {[PHASE_FORWARD] = KIND_FORWARD,
                                          [PHASE_BACKWARD] = KIND_BACKWARD,
                                          [PHASE_OPTIMIZER] = KIND_OPTIMIZER,
                                          [PHASE_NONE] = KIND_OTHER};
    return kinds[phase];
}

/* Device rows that were told to wait for a collective of another stream. */
static const bool *waiting_rows(const struct trace *trace, const struct work_classes *classes, const bool *taken,
                                struct arena *scratch)
{
    struct waits waits;
    bool *waiting = arena_array(scratch, trace->count, sizeof *waiting);
    waits_open(&waits, trace, waits_always, classes, runtime_calls_of(trace, scratch), scratch);
    const struct orders orders = stream_orders(&waits, scratch);
    for (uint32_t i = 0; i < orders.count; i++)
        if (taken[orders.at[i].row])
            waiting[orders.at[i].key] = true;
    waits_close(&waits);
    return waiting;
}

static void list_device_work(struct listing *listing, const struct work_classes *classes, const bool *taken,
                             struct arena *scratch)
{
    const struct trace *trace = listing->trace;
    const bool *waiting = waiting_rows(trace, classes, taken, scratch);
    const uint8_t *phases = phases_of(trace, scratch);
    const struct rows rows = trace_device_work(trace, scratch, -1);
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (!taken[row])
            add(listing, (struct launched){.launch_ns = launch_ns(trace, row),
                                           .start_ns = trace->start_ns[row],
                                           .end_ns = trace_end_ns(trace, row),
                                           .step = trace_step(trace, row),
                                           .kind = kind_of_phase(phases[row]),
                                           .waits = waiting[row]});
    }
}

/* ---- cutting a step ---- */

/*
 * Work launched one after the other in one phase, and not cut by a collective or a wait for one. Of the time from when
 * it could begin to its end the device was busy, or waited for collectives, or it was idle: then the host held it up.
 */
struct piece {
    int64_t end_ns, busy_ns, idle_ns;
    uint8_t kind;
    bool open;
};

/* A step under way. */
struct cutting {
    struct listing *listing;
    uint32_t step;
    const struct launched *meetings; /* of the step, by start */
    size_t meeting_count, passed;    /* so many from the first on ended before the time that is told now */
    int64_t work_ns;                 /* to where the step's time is told: the end of work, the start of a collective */
    struct piece piece;
};

static struct rank_operation *emit(const struct cutting *cutting, uint8_t kind, int64_t start_ns, int64_t dur_ns)
{
    struct listing *listing = cutting->listing;
    listing->out = mem_grow(listing->out, &listing->out_room, listing->out_count + 1, sizeof *listing->out);
    struct rank_operation *out = &listing->out[listing->out_count++];
    *out = (struct rank_operation){
        .start_ns = start_ns, .dur_ns = dur_ns, .step = listing->trace->steps[cutting->step].number, .kind = kind};
    return out;
}

/* What the host held up stands before the work. */
static void close_piece(struct cutting *cutting)
{
    const struct piece *piece = &cutting->piece;
    if (piece->open) {
        emit(cutting, KIND_HOST, piece->end_ns - piece->busy_ns - piece->idle_ns, piece->idle_ns);
        emit(cutting, piece->kind, piece->end_ns - piece->busy_ns, piece->busy_ns);
    }
    cutting->piece.open = false;
}

/* The part of [from, to) in which a collective ran. From does not go back between calls. */
static int64_t covered_ns(struct cutting *cutting, int64_t from_ns, int64_t to_ns)
{
    int64_t covered = 0, at_ns = from_ns;
    while (cutting->passed < cutting->meeting_count && cutting->meetings[cutting->passed].end_ns <= from_ns)
        cutting->passed++;
    for (size_t i = cutting->passed; i < cutting->meeting_count && cutting->meetings[i].start_ns < to_ns; i++) {
        const struct launched *meeting = &cutting->meetings[i];
        const int64_t begin = meeting->start_ns > at_ns ? meeting->start_ns : at_ns;
        const int64_t end = meeting->end_ns < to_ns ? meeting->end_ns : to_ns;
        covered += end > begin ? end - begin : 0;
        at_ns = end > at_ns ? end : at_ns;
    }
    return covered;
}

static int64_t idle_ns(struct cutting *cutting, int64_t from_ns, int64_t to_ns)
{
    return to_ns > from_ns ? to_ns - from_ns - covered_ns(cutting, from_ns, to_ns) : 0;
}

/* Work counts from where all before it has ended; what runs beside other work counts for what it adds. */
static void take_work(struct cutting *cutting, const struct launched *work)
{
    struct piece *piece = &cutting->piece;
    if (piece->open && (work->kind != piece->kind || work->waits))
        close_piece(cutting);
    if (!piece->open)
        *piece = (struct piece){.kind = work->kind, .open = true, .end_ns = cutting->work_ns};
    const int64_t from_ns = work->start_ns > piece->end_ns ? work->start_ns : piece->end_ns;
    piece->idle_ns += idle_ns(cutting, cutting->work_ns, work->start_ns);
    piece->busy_ns += work->end_ns > from_ns ? work->end_ns - from_ns : 0;
    piece->end_ns = work->end_ns > piece->end_ns ? work->end_ns : piece->end_ns;
    cutting->work_ns = piece->end_ns;
}

/* Before a collective, the time in which nothing ran because the host had not come to it. */
static void take_meeting(struct cutting *cutting, const struct launched *meeting)
{
    close_piece(cutting);
    const int64_t idle = idle_ns(cutting, cutting->work_ns, meeting->start_ns);
    emit(cutting, KIND_HOST, meeting->start_ns - idle, idle);
    struct rank_operation *out = emit(cutting, meeting->kind, meeting->start_ns, meeting->end_ns - meeting->start_ns);
    out->group_size = meeting->group_size;
    out->class = meeting->class;
    out->numbered = meeting->numbered;
    if (meeting->start_ns > cutting->work_ns)
        cutting->work_ns = meeting->start_ns;
}

static int by_start(const void *left, const void *right)
{
    const struct launched *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* The collectives of a step, apart from the rest. */
static struct launched *meetings_of(const struct launched *step, size_t count, size_t *meetings)
{
    struct launched *list = mem_alloc((count + 1) * sizeof *list);
    *meetings = 0;
    for (size_t i = 0; i < count; i++)
        if (step[i].meets)
            list[(*meetings)++] = step[i];
    qsort(list, *meetings, sizeof *list, by_start);
    return list;
}

/* begin_ns: when the step's own work could begin. Its end is when the next one's could. */
static int64_t cut_step(struct listing *listing, const struct launched *step, size_t count, int64_t begin_ns)
{
    struct cutting cutting = {.listing = listing, .step = step[0].step, .work_ns = begin_ns};
    struct launched *meetings = meetings_of(step, count, &cutting.meeting_count);
    int64_t end_ns = begin_ns;
    cutting.meetings = meetings;
    for (size_t i = 0; i < count; i++) {
        end_ns = step[i].end_ns > end_ns ? step[i].end_ns : end_ns;
        if (step[i].meets)
            take_meeting(&cutting, &step[i]);
        else
            take_work(&cutting, &step[i]);
    }
    close_piece(&cutting);
    mem_free(meetings);
    return end_ns;
}

/* Launches of a step lie together, in their order. */
static void sort_launches(struct listing *listing)
{
    struct keyed *keys = mem_alloc((listing->count + 1) * sizeof *keys);
    struct launched *sorted = mem_alloc((listing->count + 1) * sizeof *sorted);
    for (size_t i = 0; i < listing->count; i++)
        keys[i] = (struct keyed){listing->launched[i].launch_ns, (uint32_t)i};
    sort_keyed(keys, listing->count);
    for (size_t i = 0; i < listing->count; i++)
        sorted[i] = listing->launched[keys[i].row];
    for (size_t i = 0; i < listing->count; i++)
        keys[i] = (struct keyed){sorted[i].step, (uint32_t)i};
    sort_keyed(keys, listing->count);
    for (size_t i = 0; i < listing->count; i++)
        listing->launched[i] = sorted[keys[i].row];
    mem_free(sorted);
    mem_free(keys);
}

static void cut_steps(struct listing *listing, struct step_range range)
{
    int64_t end_ns = INT64_MIN;
    for (size_t i = 0, next; i < listing->count; i = next) {
        const uint32_t step = listing->launched[i].step;
        for (next = i; next < listing->count && listing->launched[next].step == step;)
            next++;
        if (step < range.first || step >= range.first + range.count)
            continue;
        const int64_t start_ns = listing->trace->steps[step].start_ns;
        end_ns = cut_step(listing, &listing->launched[i], next - i, start_ns > end_ns ? start_ns : end_ns);
    }
}

void rank_operations_of(const struct trace *trace, const struct selection *selection, struct arena *arena,
                        struct rank_operations *operations)
{
    struct arena scratch = {0};
    const struct work_classes *classes = work_classes_new(trace, &scratch);
    const struct collectives collectives = collectives_of(trace, classes, &scratch);
    bool *taken = arena_array(&scratch, trace->count, sizeof *taken);
    struct listing listing = {.trace = trace, .arena = arena};
    list_collectives(&listing, &collectives, taken);
    list_device_work(&listing, classes, taken, &scratch);
    sort_launches(&listing);
    cut_steps(&listing, selection_steps(trace, selection));
    struct rank_operation *out = arena_array(arena, listing.out_count, sizeof *out);
    if (listing.out_count)
        memcpy(out, listing.out, listing.out_count * sizeof *out);
    *operations = (struct rank_operations){.rank = trace->info.rank, .at = out, .count = (uint32_t)listing.out_count};
    operations->dated = trace_epoch(trace, &operations->origin_ns);
    mem_free(listing.launched);
    mem_free(listing.out);
    arena_free(&scratch);
}
