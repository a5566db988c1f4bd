/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_probe.h"

#include "base/sort.h"
#include "breakdown/parts/device_class.h"
#include "breakdown/step/host_parts.h"
#include "breakdown/idle/idle.h"

struct walk {
    const struct trace *trace;
    struct host *host;
    struct rank_probe *probes;
    const struct keyed *order; /* the probes by time */
    size_t next, count;
    int64_t now_ns;
    int64_t sum_ns[RANK_TIMES]; /* up to now */
};

static void answer(const struct walk *walk, enum rank_time time)
{
    struct rank_probe *probe = &walk->probes[walk->order[walk->next].row];
    memcpy(probe->sum_ns, walk->sum_ns, sizeof probe->sum_ns);
    if (probe->at_ns > walk->now_ns)
        probe->sum_ns[time] += probe->at_ns - walk->now_ns;
}

/* Time of one kind, following on what came before. */
static void go_on(struct walk *walk, int64_t ns, enum rank_time time)
{
    const int64_t until = walk->now_ns + ns;
    for (; walk->next < walk->count && walk->order[walk->next].key <= until; walk->next++)
        answer(walk, time);
    walk->sum_ns[time] += ns;
    walk->now_ns = until;
}

/* ---- with a device ---- */

static enum rank_time time_of_part(enum part part)
{
    if (part == PART_COMPUTE)
        return TIME_COMPUTE;
    if (part == PART_EXPOSED_COMMUNICATION)
        return TIME_COMMUNICATION;
    if (part_is_work(part))
        return TIME_COPY;
    return part == PART_DATA_LOADING ? TIME_LOADING : TIME_HOST;
}

static void take_idle(void *context, const struct idle_piece *piece)
{
    go_on(context, piece->end_ns - piece->start_ns, time_of_part(piece->cause));
}

static void take_piece(void *context, const struct sweep_piece *piece)
{
    struct walk *walk = context;
    if (piece->active)
        go_on(walk, piece->end_ns - piece->start_ns, time_of_part(device_part(piece->active)));
    else
        idle_split(walk->trace, walk->host, piece, take_idle, walk);
}

static void walk_device(struct walk *walk, const struct work_classes *classes, int64_t end_ns, struct arena *scratch)
{
    const struct rows work = trace_device_work(walk->trace, scratch, -1);
    uint8_t *class_of = arena_array(scratch, work.count, sizeof *class_of);
    for (uint32_t i = 0; i < work.count; i++)
        class_of[i] = (uint8_t)device_class(classes, work.at[i]);
    sweep(walk->trace, work, class_of, 0, end_ns, take_piece, walk);
}

/* ---- without ---- */

static enum rank_time time_of_host_part(enum part part)
{
    switch (part) {
    case PART_FORWARD:
    case PART_BACKWARD:
    case PART_OPTIMIZER:
        return TIME_COMPUTE;
    case PART_COMMUNICATION:
        return TIME_COMMUNICATION;
    case PART_DATA_LOADING:
        return TIME_LOADING;
    default:
        return TIME_HOST;
    }
}

static void take_host(void *context, uint32_t step, enum part part, uint32_t row, int64_t ns)
{
    go_on(context, ns, time_of_host_part(part));
}

static void walk_host(struct walk *walk, const uint8_t *phases, int64_t end_ns, struct arena *scratch)
{
    const struct step whole = {.start_ns = 0, .end_ns = end_ns};
    phases = phases ? phases : phases_of(walk->trace, scratch);
    host_parts(walk->trace, walk->host, phases, &(struct step_cut){&whole, 1, 0}, take_host, walk);
}

static const struct keyed *by_time(const struct rank_probe *probes, size_t count, struct arena *scratch)
{
    struct keyed *order = arena_array(scratch, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct keyed){probes[i].at_ns, (uint32_t)i};
    sort_keyed(order, count);
    return order;
}

void rank_probes(const struct trace *trace, const struct work_classes *classes, const uint8_t *phases,
                 struct rank_probe *probes, size_t count)
{
    struct arena scratch = {0};
    struct walk walk = {.trace = trace, .probes = probes, .order = by_time(probes, count, &scratch), .count = count};
    walk.host = host_new(trace, classes, &scratch);
    const int64_t end_ns = count && walk.order[count - 1].key > 0 ? walk.order[count - 1].key : 0;
    if (trace->kinds[EVENT_KERNEL] + trace->kinds[EVENT_COPY] + trace->kinds[EVENT_MEMSET])
        walk_device(&walk, classes, end_ns, &scratch);
    else
        walk_host(&walk, phases, end_ns, &scratch);
    while (walk.next < walk.count)
        answer(&walk, TIME_HOST), walk.next++;
    host_free(walk.host);
    arena_free(&scratch);
}
