/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled_join.h"

#include "base/map.h"
#include "base/sort.h"

/* Log and trace read the clock at two places of one function, between which a busy machine may run something else. */
enum { NEAR_NS = 10000000, NEAR_OF_ID_NS = 1000000000, NONE = UINT32_MAX };

struct joining {
    const struct compile_log *log;
    struct map first;    /* compile id as a number: its first compile */
    uint32_t *next;      /* the next with the same id */
    struct keyed *begun; /* compiles by time */
    uint32_t begun_count;
    struct joined *joined;
};

const char *joined_word(enum joined_by by)
{
    static const char *const words[] = {NULL, "id and time", "time", "id", "region"};
    return words[by];
}

/* ---- compiles by id and by time ---- */

/* "0/1" as one number; -1 where it is none. */
static int64_t number_of(str id)
{
    str frame;
    int64_t first, second;
    if (!str_cut(&id, '/', &frame) || !str_int(frame, &first) || !str_int(id, &second))
        return -1;
    return first >= 0 && first < INT32_MAX && second >= 0 && second < INT32_MAX ? first << 32 | second : -1;
}

static void index_compiles(struct joining *joining, struct arena *arena)
{
    const struct compile_log *log = joining->log;
    joining->next = arena_array(arena, log->compile_count, sizeof *joining->next);
    joining->begun = arena_array(arena, log->compile_count, sizeof *joining->begun);
    for (uint32_t i = log->compile_count; i-- > 0;) {
        const int64_t key = log->compiles[i].frame << 32 | log->compiles[i].number;
        const uint32_t first = map_get(&joining->first, key);
        joining->next[i] = first == MAP_NONE ? NONE : first;
        map_put(&joining->first, key, i);
    }
    for (uint32_t i = 0; i < log->compile_count; i++)
        if (log->compiles[i].start_ns >= 0)
            joining->begun[joining->begun_count++] = (struct keyed){log->compiles[i].start_ns, i};
    sort_keyed(joining->begun, joining->begun_count);
}

/* ---- one event ---- */

/* A log that names its rank is of that trace; else the process must be the same. */
static bool same_process(const struct log_compile *compile, const struct compiled_trace *trace, int64_t process)
{
    return compile->rank >= 0 ? compile->rank == trace->rank : compile->process < 0 || compile->process == process;
}

static bool near(int64_t a, int64_t b, int64_t most_ns)
{
    return a - b <= most_ns && b - a <= most_ns; /* both are since 1970 */
}

static enum joined_by compare(const struct log_compile *compile, const struct compiled_event *event)
{
    if (compile->start_ns < 0 || event->epoch_ns < 0)
        return JOINED_ID;
    return near(compile->start_ns, event->epoch_ns, NEAR_OF_ID_NS) ? JOINED_ID_AND_TIME : JOINED_NOT;
}

static bool join(struct joining *joining, uint32_t i, enum joined_by by, const struct compiled_trace *trace,
                 const struct compiled_event *event)
{
    if (by == JOINED_NOT || joining->joined[i].by != JOINED_NOT)
        return false;
    joining->joined[i] = (struct joined){.by = by, .trace = trace, .event = event, .runs = -1};
    return true;
}

static void join_by_id(struct joining *joining, const struct compiled_trace *trace, const struct compiled_event *event)
{
    const uint32_t first = map_get(&joining->first, number_of(event->id));
    for (uint32_t i = first == MAP_NONE ? NONE : first; i != NONE; i = joining->next[i]) {
        const struct log_compile *compile = &joining->log->compiles[i];
        if (same_process(compile, trace, event->process) && join(joining, i, compare(compile, event), trace, event))
            return;
    }
}

static void join_by_time(struct joining *joining, const struct compiled_trace *trace,
                         const struct compiled_event *event)
{
    if (event->epoch_ns < 0)
        return;
    for (size_t k = keyed_below(joining->begun, joining->begun_count, event->epoch_ns - NEAR_NS);
         k < joining->begun_count && joining->begun[k].key <= event->epoch_ns + NEAR_NS; k++) {
        const uint32_t i = joining->begun[k].row;
        if (same_process(&joining->log->compiles[i], trace, event->process) &&
            join(joining, i, JOINED_TIME, trace, event))
            return;
    }
}

/* ---- code that ran ---- */

/* What the trace compiled under an id is not what the log has under it, or it would be joined: another run's. */
static struct map ids_of(const struct compiled_trace *trace)
{
    struct map ids = {0};
    for (uint32_t e = 0; e < trace->event_count; e++)
        map_put(&ids, number_of(trace->events[e].id), e);
    return ids;
}

static void count_runs_of(struct joining *joining, const struct compiled_trace *trace,
                          const struct compiled_run *region, bool compiled)
{
    const uint32_t first = map_get(&joining->first, number_of(region->name));
    for (uint32_t i = first == MAP_NONE ? NONE : first; i != NONE; i = joining->next[i]) {
        struct joined *joined = &joining->joined[i];
        if (joined->by == JOINED_NOT && !compiled && same_process(&joining->log->compiles[i], trace, trace->process))
            *joined = (struct joined){.by = JOINED_REGION, .trace = trace, .runs = -1};
        if (joined->trace == trace)
            joined->runs = region->count;
    }
}

static void count_runs(struct joining *joining, const struct compiled_trace *trace)
{
    struct map ids = ids_of(trace);
    for (uint32_t r = 0; r < trace->region_count; r++) {
        const struct compiled_run *region = &trace->regions[r];
        count_runs_of(joining, trace, region, map_get(&ids, number_of(region->name)) != MAP_NONE);
    }
    map_free(&ids);
}

/* ---- backwards ---- */

/* That of a compilation that was found in the same trace, where the log says that its backward was compiled later. */
static void join_backward(struct joining *joining, const struct compiled_trace *trace,
                          const struct compiled_event *event)
{
    const uint32_t first = event->id.len ? map_get(&joining->first, number_of(event->id)) : MAP_NONE;
    for (uint32_t i = first == MAP_NONE ? NONE : first; i != NONE; i = joining->next[i]) {
        struct joined *joined = &joining->joined[i];
        const struct log_compile *compile = &joining->log->compiles[i];
        if (joined->backward || joined->trace != trace || compile->backward_ns < 0)
            continue;
        joined->backward = event;
        return;
    }
}

/* ---- all ---- */

struct joined *compiled_join(const struct compile_log *log, const struct compiled_trace *const *traces, uint32_t count,
                             struct arena *arena)
{
    struct arena scratch = {0};
    struct joining joining = {.log = log, .joined = arena_array(arena, log->compile_count, sizeof *joining.joined)};
    for (uint32_t i = 0; i < log->compile_count; i++)
        joining.joined[i].runs = -1;
    index_compiles(&joining, &scratch);
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t e = 0; e < traces[t]->event_count; e++)
            if (traces[t]->events[e].id.len)
                join_by_id(&joining, traces[t], &traces[t]->events[e]);
            else
                join_by_time(&joining, traces[t], &traces[t]->events[e]);
    for (uint32_t t = 0; t < count; t++)
        count_runs(&joining, traces[t]);
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t e = 0; e < traces[t]->backward_count; e++)
            join_backward(&joining, traces[t], &traces[t]->backwards[e]);
    map_free(&joining.first);
    arena_free(&scratch);
    return joining.joined;
}
