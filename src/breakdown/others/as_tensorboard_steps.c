/* SPDX-License-Identifier: Apache-2.0 */
#include "as_tensorboard_steps.h"

#include "as.h"
#include "base/map.h"
#include "base/order.h"
#include "base/sort.h"

/* ---- runtime events with the device events of their correlation id ---- */

enum { NONE = UINT32_MAX };

struct device_event {
    int64_t start_ns, end_ns;
    uint32_t next; /* of the same runtime event, or still waiting for one */
    bool matched;  /* given to a step */
};

struct runtime_event {
    int64_t start_ns, end_ns;
    uint32_t first; /* device event */
};

struct launches {
    const struct trace *trace;
    struct runtime_event *runtimes; /* by start */
    uint32_t runtime_count;
    struct device_event *devices; /* by start */
    uint32_t device_count;
    struct map runtime_of; /* correlation: the latest runtime event so far */
    struct map waiting;    /* correlation: chain of device events seen before any runtime event */
};

static bool is_runtime(const struct trace *trace, uint32_t row)
{
    return trace->kind[row] == EVENT_RUNTIME && str_eq(as_category(trace, row), S("Runtime"));
}

/* A runtime event takes the device events that wait for its id; those after it come to it by take_device. */
static void take_runtime(struct launches *launches, uint32_t row, int64_t correlation)
{
    const bool first_of_id = map_get(&launches->runtime_of, correlation) == MAP_NONE;
    const uint32_t waiting = first_of_id ? map_get(&launches->waiting, correlation) : NONE;
    const uint32_t me = launches->runtime_count++;
    launches->runtimes[me] =
        (struct runtime_event){as_start_ns(launches->trace, row), as_end_ns(launches->trace, row), waiting};
    map_put(&launches->runtime_of, correlation, me);
}

static void take_device(struct launches *launches, uint32_t row, int64_t correlation)
{
    const uint32_t me = launches->device_count++, runtime = map_get(&launches->runtime_of, correlation);
    struct device_event *event = &launches->devices[me];
    *event = (struct device_event){as_start_ns(launches->trace, row), as_end_ns(launches->trace, row), NONE, false};
    if (runtime != MAP_NONE) {
        event->next = launches->runtimes[runtime].first;
        launches->runtimes[runtime].first = me;
    } else {
        event->next = map_get(&launches->waiting, correlation);
        map_put(&launches->waiting, correlation, me);
    }
}

static struct launches launches_of(const struct trace *trace, struct arena *arena)
{
    struct launches launches = {.trace = trace};
    struct keyed *order = arena_array(arena, trace->count, sizeof *order);
    uint32_t count = 0;
    for (uint32_t row = 0; row < trace->count; row++)
        if (is_runtime(trace, row) || event_is_device_work((enum event_kind)trace->kind[row]))
            order[count++] = (struct keyed){trace->start_ns[row], row};
    sort_keyed(order, count);
    launches.runtimes = arena_array(arena, count, sizeof *launches.runtimes);
    launches.devices = arena_array(arena, count, sizeof *launches.devices);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t correlation = trace_attr_or(trace, order[i].row, ATTR_CORRELATION, INT64_MIN);
        if (trace->kind[order[i].row] == EVENT_RUNTIME)
            take_runtime(&launches, order[i].row, correlation);
        else
            take_device(&launches, order[i].row, correlation);
    }
    map_free(&launches.runtime_of);
    map_free(&launches.waiting);
    return launches;
}

/* ---- giving device events to steps ---- */

static void give(struct launches *launches, const struct runtime_event *runtime, struct tb_step *step)
{
    for (uint32_t i = runtime->first; i != NONE; i = launches->devices[i].next) {
        struct device_event *event = &launches->devices[i];
        step->first_device_ns = event->start_ns < step->first_device_ns ? event->start_ns : step->first_device_ns;
        step->last_device_ns = event->end_ns > step->last_device_ns ? event->end_ns : step->last_device_ns;
        step->device_events++;
        event->matched = true;
    }
}

/* Runtime events and steps side by side in order of start. True if any device event found a step. */
static bool give_all(struct launches *launches, struct tb_steps *steps)
{
    bool any = false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        steps->at[i].first_device_ns = INT64_MAX;
        steps->at[i].last_device_ns = INT64_MIN;
    }
    for (uint32_t i = 0; i < launches->runtime_count; i++) {
        const struct runtime_event *runtime = &launches->runtimes[i];
        while (at < steps->count && runtime->start_ns >= steps->at[at].end_ns && runtime->end_ns > steps->at[at].end_ns)
            at++;
        if (at == steps->count)
            break;
        if (runtime->start_ns < steps->at[at].start_ns || runtime->end_ns > steps->at[at].end_ns)
            continue;
        give(launches, runtime, &steps->at[at]);
        any |= runtime->first != NONE;
    }
    return any;
}

/* ---- moving ---- */

/* The first window begins no earlier than the end of device work that no step launched before it. */
static int64_t first_start(const struct launches *launches, const struct tb_step *first)
{
    int64_t start = first->start_ns;
    for (uint32_t i = 0; i < launches->device_count && first->device_events; i++) {
        const struct device_event *event = &launches->devices[i];
        if (!event->matched && event->end_ns < first->first_device_ns && event->end_ns > start)
            start = event->end_ns;
    }
    return start;
}

static void move_windows(struct tb_steps *steps, int64_t previous_ns)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        struct tb_step *step = &steps->at[i];
        step->start_ns = larger_of(previous_ns, step->start_ns);
        step->end_ns = larger_of(step->end_ns, step->start_ns);
        if (step->device_events)
            step->end_ns = larger_of(step->end_ns, step->last_device_ns);
        previous_ns = step->end_ns;
    }
}

/* Steps after the last with device events go; that one too where it has much less than the one before. */
static uint32_t steps_kept(const struct tb_steps *steps)
{
    if (steps->count <= 1)
        return steps->count;
    uint32_t last = steps->count - 1;
    while (last && !steps->at[last].device_events)
        last--;
    const bool few = last && 0.8 * steps->at[last - 1].device_events > steps->at[last].device_events;
    return few ? last : last + 1;
}

void tb_move_steps(const struct trace *trace, struct tb_steps *steps)
{
    struct arena scratch = {0};
    struct launches launches = launches_of(trace, &scratch);
    if (steps->count && give_all(&launches, steps)) {
        move_windows(steps, first_start(&launches, &steps->at[0]));
        steps->count = steps_kept(steps);
    }
    arena_free(&scratch);
}
