/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/operations_trace.h"

#include "base/mem.h"
#include "base/sort.h"
#include "fleet/operations_kinds.h"
#include "ops/collective.h"
#include "ops/phase.h"

/* Work of the device, or a call of a collective on the host, as the host launched it. */
struct launched {
    int64_t launch_ns, start_ns, end_ns;
    uint32_t step; /* index */
    int64_t group_size;
    uint8_t kind;
    bool meets; /* a collective */
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
        taken[collective->row] = true;
        add(listing, (struct launched){.launch_ns = collective->on_host ? collective->call_ns
                                                                        : launch_ns(listing->trace, collective->row),
                                       .start_ns = collective->start_ns,
                                       .end_ns = collective->start_ns + collective->dur_ns,
                                       .step = collective->step,
                                       .group_size = collectives->groups[collective->group].size,
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

static void list_device_work(struct listing *listing, const bool *taken, struct arena *scratch)
{
    const struct trace *trace = listing->trace;
    const uint8_t *phases = phases_of(trace, scratch);
    const struct rows rows = trace_device_work(trace, scratch, -1);
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.at[i];
        if (!taken[row])
            add(listing, (struct launched){.launch_ns = launch_ns(trace, row),
                                           .start_ns = trace->start_ns[row],
                                           .end_ns = trace_end_ns(trace, row),
                                           .step = trace_step(trace, row),
                                           .kind = kind_of_phase(phases[row])});
    }
}

/* ---- cutting a step ---- */

/* Work launched one after the other, in one phase, between two collectives. */
struct piece {
    int64_t first_ns, last_ns, alone_ns; /* alone_ns: of it the device only waited for collectives */
    uint8_t kind;
    bool open;
};

static void emit(struct listing *listing, const struct launched *launched)
{
    listing->out = mem_grow(listing->out, &listing->out_room, listing->out_count + 1, sizeof *listing->out);
    listing->out[listing->out_count++] =
        (struct rank_operation){.start_ns = launched->start_ns,
                                .dur_ns = launched->end_ns - launched->start_ns,
                                .step = listing->trace->steps[launched->step].number,
                                .group_size = launched->meets ? launched->group_size : 0,
                                .kind = launched->kind};
}

static void close_piece(struct listing *listing, struct piece *piece, uint32_t step)
{
    if (piece->open)
        emit(listing, &(struct launched){.start_ns = piece->first_ns,
                                         .end_ns = piece->last_ns - piece->alone_ns,
                                         .step = step,
                                         .kind = piece->kind});
    piece->open = false;
}

/* The part of [from, to) in which a collective of the step ran; they are by launch, and run in that order. */
static int64_t covered_ns(const struct launched *step, size_t count, int64_t from_ns, int64_t to_ns)
{
    int64_t covered = 0, at_ns = from_ns;
    for (size_t i = 0; i < count && at_ns < to_ns; i++) {
        if (!step[i].meets || step[i].end_ns <= at_ns || step[i].start_ns >= to_ns)
            continue;
        const int64_t begin = step[i].start_ns > at_ns ? step[i].start_ns : at_ns;
        const int64_t end = step[i].end_ns < to_ns ? step[i].end_ns : to_ns;
        covered += end - begin;
        at_ns = end;
    }
    return covered;
}

static void extend(struct piece *piece, const struct launched *work, const struct launched *meetings, size_t count)
{
    if (work->start_ns > piece->last_ns)
        piece->alone_ns += covered_ns(meetings, count, piece->last_ns, work->start_ns);
    if (work->end_ns > piece->last_ns)
        piece->last_ns = work->end_ns;
}

/* The collectives of a step, apart from the rest. */
static struct launched *meetings_of(const struct launched *step, size_t count, size_t *meetings)
{
    struct launched *list = mem_alloc((count + 1) * sizeof *list);
    *meetings = 0;
    for (size_t i = 0; i < count; i++)
        if (step[i].meets)
            list[(*meetings)++] = step[i];
    return list;
}

/* begin_ns: when the step's own work could begin. Its end is the next one's. */
static int64_t cut_step(struct listing *listing, const struct launched *step, size_t count, int64_t begin_ns)
{
    size_t meetings;
    struct launched *list = meetings_of(step, count, &meetings);
    struct piece piece = {0};
    int64_t end_ns = begin_ns, piece_from_ns = begin_ns;
    for (size_t i = 0; i < count; i++) {
        const struct launched *work = &step[i];
        end_ns = work->end_ns > end_ns ? work->end_ns : end_ns;
        if (work->meets || (piece.open && work->kind != piece.kind))
            close_piece(listing, &piece, work->step);
        if (work->meets) {
            emit(listing, work);
            piece_from_ns = INT64_MAX;
            continue;
        }
        if (!piece.open) {
            const int64_t from_ns = piece_from_ns < work->start_ns ? piece_from_ns : work->start_ns;
            piece = (struct piece){.first_ns = from_ns, .last_ns = from_ns, .kind = work->kind, .open = true};
            piece_from_ns = INT64_MAX;
        }
        extend(&piece, work, list, meetings);
    }
    if (count)
        close_piece(listing, &piece, step[0].step);
    mem_free(list);
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
    list_device_work(&listing, taken, &scratch);
    sort_launches(&listing);
    cut_steps(&listing, selection_steps(trace, selection));
    struct rank_operation *out = arena_array(arena, listing.out_count, sizeof *out);
    if (listing.out_count)
        memcpy(out, listing.out, listing.out_count * sizeof *out);
    *operations = (struct rank_operations){trace->info.rank, out, (uint32_t)listing.out_count};
    mem_free(listing.launched);
    mem_free(listing.out);
    arena_free(&scratch);
}
