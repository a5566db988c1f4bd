/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_streams.h"

#include "base/map.h"

enum { USUAL = 0, OWN_FROM = 2 }; /* stream 1 is that of collectives of which nothing is known */

/* Launches to be waited for; of the step before where nothing was on the stream yet. */
struct waits {
    uint32_t *at;
    uint32_t count, room;
    bool of_before;
};

struct plan_streams {
    const struct program *program;
    struct arena *arena;
    uint32_t at; /* the next mark */
    uint32_t current;
    uint32_t first_group;  /* stream of the first group */
    uint32_t *last;        /* by stream: its last launch; PLAN_NONE */
    struct waits *pending; /* by stream: what its next launch waits for */
    struct waits *events;
    uint32_t event_count;
    struct map event_of, work_of; /* by name: the event; by number: the launch of the work */
    struct waits all;             /* of all launches */
};

/* ---- lists ---- */

static void add(struct plan_streams *s, struct waits *waits, uint32_t launch)
{
    for (uint32_t i = 0; i < waits->count; i++)
        if (waits->at[i] == launch)
            return;
    if (waits->count == waits->room) {
        const uint32_t room = 2 * waits->room + 4;
        uint32_t *const wider = arena_array(s->arena, room, sizeof *wider);
        if (waits->count)
            memcpy(wider, waits->at, waits->count * sizeof *wider);
        waits->at = wider;
        waits->room = room;
    }
    waits->at[waits->count++] = launch;
}

static void add_all(struct plan_streams *s, struct waits *waits, const struct waits *more)
{
    for (uint32_t i = 0; i < more->count; i++)
        add(s, waits, more->at[i]);
    waits->of_before |= more->of_before;
}

static void clear(struct waits *waits)
{
    waits->count = 0;
    waits->of_before = false;
}

/* All that is on the stream so far. */
static void add_stream(struct plan_streams *s, struct waits *waits, uint32_t stream)
{
    if (s->last[stream] != PLAN_NONE)
        add(s, waits, s->last[stream]);
    else
        waits->of_before = true;
    add_all(s, waits, &s->pending[stream]);
}

/* ---- marks ---- */

static uint32_t stream_of(uint32_t stream)
{
    return stream ? OWN_FROM + stream - 1 : USUAL;
}

static struct waits *event_of(struct plan_streams *s, int64_t name)
{
    const uint32_t at = map_get(&s->event_of, name);
    return at == MAP_NONE ? NULL : &s->events[at];
}

static void record(struct plan_streams *s, int64_t name, uint32_t stream)
{
    struct waits *event = event_of(s, name);
    if (!event) {
        map_put(&s->event_of, name, s->event_count);
        event = &s->events[s->event_count++];
    }
    clear(event);
    add_stream(s, event, stream);
}

static void await_work(struct plan_streams *s, int64_t work)
{
    const uint32_t launch = map_get(&s->work_of, work);
    if (launch != MAP_NONE)
        add(s, &s->pending[s->current], launch);
}

static void take(struct plan_streams *s, const struct execution_mark *mark)
{
    const uint32_t stream = stream_of(mark->stream);
    const struct waits *const event = mark->kind == MARK_AWAIT ? event_of(s, mark->what) : NULL;
    if (mark->kind == MARK_STREAM)
        s->current = stream;
    else if (mark->kind == MARK_RECORD)
        record(s, mark->what, stream);
    else if (mark->kind == MARK_WAIT)
        await_work(s, mark->what);
    else if (event) /* of an await */
        add_all(s, &s->pending[stream], event);
}

/* Waits inside the call are its own; what else is inside comes behind it. */
void plan_streams_come(struct plan_streams *s, uint32_t op)
{
    const struct program *const program = s->program;
    const uint32_t end = program->ops[op].end;
    const int64_t begin = program->ops[op].id, over = end < program->count ? program->ops[end].id : INT64_MAX;
    while (s->at < program->mark_count &&
           (program->marks[s->at].id < begin ||
            (program->marks[s->at].kind == MARK_WAIT && program->marks[s->at].id < over)))
        take(s, &program->marks[s->at++]);
}

/* ---- launches ---- */

static void wait_for(struct plan_streams *s, struct plan *plan, struct plan_launch *launch, const struct waits *waits)
{
    launch->first_wait = s->all.count;
    for (uint32_t i = 0; i < waits->count; i++) {
        if (plan->launches[waits->at[i]].stream == launch->stream)
            continue;
        if (s->all.count == s->all.room) {
            const uint32_t room = 2 * s->all.room + 64;
            uint32_t *const wider = arena_array(s->arena, room, sizeof *wider);
            if (s->all.count)
                memcpy(wider, s->all.at, s->all.count * sizeof *wider);
            s->all.at = wider;
            s->all.room = room;
        }
        s->all.at[s->all.count++] = waits->at[i];
        launch->waits++;
    }
    launch->after_step = waits->of_before && launch->stream != USUAL;
    plan->waits = s->all.at;
}

void plan_streams_put(struct plan_streams *s, struct plan *plan, const struct collective *collective)
{
    const uint32_t index = plan->launch_count - 1;
    struct plan_launch *const launch = &plan->launches[index];
    struct waits waits = {0};
    launch->stream = collective && collective->apart ? s->first_group + collective->group : s->current;
    add_all(s, &waits, &s->pending[launch->stream]);
    clear(&s->pending[launch->stream]);
    if (launch->stream != s->current)
        add_stream(s, &waits, s->current);
    wait_for(s, plan, launch, &waits);
    s->last[launch->stream] = index;
    if (collective)
        map_put(&s->work_of, collective->work, index);
}

/* ---- the whole ---- */

static uint32_t *all_none(uint32_t count, struct arena *arena)
{
    uint32_t *const at = arena_array(arena, count, sizeof *at);
    for (uint32_t i = 0; i < count; i++)
        at[i] = PLAN_NONE;
    return at;
}

struct plan_streams *plan_streams_open(const struct program *program, struct plan *plan, struct arena *arena)
{
    uint32_t highest = 0;
    if (!program->mark_count && program->group_count < 2)
        return NULL;
    for (uint32_t i = 0; i < program->mark_count; i++)
        highest = program->marks[i].stream > highest ? program->marks[i].stream : highest;
    struct plan_streams *const s = arena_alloc(arena, sizeof *s);
    *s = (struct plan_streams){.program = program, .arena = arena, .first_group = stream_of(highest) + OWN_FROM};
    plan->streams = s->first_group + program->group_count;
    s->last = all_none(plan->streams, arena);
    s->pending = arena_array(arena, plan->streams, sizeof *s->pending);
    s->events = arena_array(arena, program->mark_count, sizeof *s->events);
    return s;
}

void plan_streams_close(struct plan_streams *s)
{
    if (!s)
        return;
    map_free(&s->event_of);
    map_free(&s->work_of);
}
