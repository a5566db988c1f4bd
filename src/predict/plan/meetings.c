/* SPDX-License-Identifier: Apache-2.0 */
#include "meetings.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/map.h"

struct meeting {
    uint32_t expected;
    uint8_t kind;                /* enum collective_kind */
    uint32_t first_rank, launch; /* who was listed first, for messages */
};

struct meetings {
    const struct plan *const *plans;
    uint32_t ranks;
    struct meeting *at;
    uint32_t count;
    uint32_t **of_launch; /* by rank and launch; MEETS_NOBODY */
};

static const struct collective *collective_of(const struct plan *plan, const struct plan_launch *launch)
{
    const struct program *program = plan->program;
    if (launch->gone || !program || launch->collective >= program->collective_count)
        return NULL;
    const struct collective *collective = &program->collectives[launch->collective];
    return collective_is_blocking((enum collective_kind)collective->kind) ? collective : NULL;
}

static const struct collective_group *group_in(const struct program *program, const struct collective *collective)
{
    static const struct collective_group unknown = {0};
    return collective->group < program->group_count ? &program->groups[collective->group] : &unknown;
}

static const struct collective_group *group_of(const struct plan *plan, const struct collective *collective)
{
    return group_in(plan->program, collective);
}

/* ---- groups ---- */

/* On how many ranks each group is, by its identity. */
static void count_members(const struct plan *const *plans, uint32_t ranks, struct map *members)
{
    for (uint32_t r = 0; r < ranks; r++) {
        struct map seen = {0};
        for (uint32_t i = 0; i < plans[r]->launch_count; i++) {
            const struct collective *collective = collective_of(plans[r], &plans[r]->launches[i]);
            const int64_t group = collective ? (int64_t)group_of(plans[r], collective)->identity : 0;
            if (!collective || map_get(&seen, group) != MAP_NONE)
                continue;
            const uint32_t so_far = map_get(members, group);
            map_put(&seen, group, 1);
            map_put(members, group, so_far == MAP_NONE ? 1 : so_far + 1);
        }
        map_free(&seen);
    }
}

int64_t meeting_size(const struct program *program, const struct collective *collective)
{
    const struct collective_group *group = group_in(program, collective);
    const int64_t size = group->size > 0 ? group->size : group->identity ? 0 : program->world_size;
    return size > 0 ? size : 0;
}

/* Where ranks of the group are missing, who waited for whom is not known, and the recorded times stay. */
static bool all_here(const struct plan *plan, const struct collective *collective, const struct map *members)
{
    const int64_t here = map_get(members, (int64_t)group_of(plan, collective)->identity);
    return here >= meeting_size(plan->program, collective);
}

/* ---- matching ---- */

/* All collectives of all ranks tell their sequence number. */
static bool numbered(const struct plan *const *plans, uint32_t ranks)
{
    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t i = 0; i < plans[r]->launch_count; i++) {
            const struct collective *collective = collective_of(plans[r], &plans[r]->launches[i]);
            if (collective && collective->seq < 0)
                return false;
        }
    return true;
}

/* How many of a rank's collectives were of each group so far. */
struct places {
    struct intern *groups;
    uint32_t *count;
    uint32_t room;
};

static uint32_t next_place(struct places *places, str group, struct arena *arena)
{
    const uint32_t id = intern_id(places->groups, group);
    if (id >= places->room) {
        const uint32_t room = 2 * (id + 1);
        uint32_t *more = arena_array(arena, room, sizeof *more);
        if (places->room)
            memcpy(more, places->count, places->room * sizeof *more);
        places->count = more;
        places->room = room;
    }
    return places->count[id]++;
}

struct matching {
    struct meetings *into;
    struct intern *keys;       /* the id of a key, less one, is the meeting */
    const struct map *members; /* ranks of a group by its identity */
    bool numbered;
    struct arena *arena, *scratch;
};

static uint32_t meeting_of(struct matching *m, struct places *places, const struct plan *plan,
                           const struct collective *collective)
{
    const struct collective_group *group = group_of(plan, collective);
    const str name = str_printf(m->scratch, "%llx", (unsigned long long)group->identity);
    const int64_t place = m->numbered ? collective->seq : (int64_t)next_place(places, name, m->scratch);
    return intern_id(m->keys, str_printf(m->scratch, "%.*s/%lld", (int)name.len, name.at, (long long)place)) - 1;
}

static str kind_of(const struct meeting *meeting)
{
    return collective_kind_word((enum collective_kind)meeting->kind);
}

static bool join(struct matching *m, uint32_t id, uint32_t rank, uint32_t launch, struct steptime_error *err)
{
    const struct plan *plan = m->into->plans[rank];
    const struct collective *collective = collective_of(plan, &plan->launches[launch]);
    struct meeting *meeting = &m->into->at[id];
    if (!meeting->expected)
        *meeting = (struct meeting){.kind = collective->kind, .first_rank = rank, .launch = launch};
    if (meeting->kind != collective->kind) {
        const str first = kind_of(meeting), second = collective_kind_word((enum collective_kind)collective->kind);
        return fail(err, STEPTIME_INPUT,
                    "collectives do not match: launch %u of rank %lld is %.*s, launch %u of rank %lld is %.*s",
                    meeting->launch, (long long)m->into->plans[meeting->first_rank]->program->rank, (int)first.len,
                    first.at, launch, (long long)plan->program->rank, (int)second.len, second.at);
    }
    meeting->expected++;
    m->into->of_launch[rank][launch] = id;
    return true;
}

static bool match_rank(struct matching *m, uint32_t rank, struct steptime_error *err)
{
    const struct plan *plan = m->into->plans[rank];
    struct places places = {.groups = intern_new()};
    bool good = true;
    for (uint32_t i = 0; i < plan->launch_count && good; i++) {
        const struct collective *collective = collective_of(plan, &plan->launches[i]);
        m->into->of_launch[rank][i] = MEETS_NOBODY;
        if (collective && all_here(plan, collective, m->members))
            good = join(m, meeting_of(m, &places, plan, collective), rank, i, err);
    }
    intern_free(places.groups);
    return good;
}

/* Each rank of a group comes once to each of its collectives. */
static bool check_matched(const struct matching *m, uint32_t count, struct steptime_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct meeting *meeting = &m->into->at[i];
        if (!meeting->expected)
            continue;
        const struct plan *plan = m->into->plans[meeting->first_rank];
        const struct collective *collective = collective_of(plan, &plan->launches[meeting->launch]);
        const uint32_t ranks = map_get(m->members, (int64_t)group_of(plan, collective)->identity);
        const str kind = kind_of(meeting);
        if (meeting->expected != ranks)
            return fail(
                err, STEPTIME_INPUT,
                "collectives do not match: %.*s, launch %u of rank %lld, is recorded %u times on the %u ranks of its group",
                (int)kind.len, kind.at, meeting->launch, (long long)plan->program->rank, meeting->expected, ranks);
    }
    return true;
}

static size_t launches_of(const struct plan *const *plans, uint32_t ranks)
{
    size_t launches = 0;
    for (uint32_t r = 0; r < ranks; r++)
        launches += plans[r]->launch_count;
    return launches;
}

bool meetings_open(const struct plan *const *plans, uint32_t ranks, struct arena *arena, struct meetings **meetings,
                   struct steptime_error *err)
{
    struct arena scratch = {0};
    struct meetings *made = arena_alloc(arena, sizeof *made);
    *made = (struct meetings){.plans = plans, .ranks = ranks};
    made->at = arena_array(arena, launches_of(plans, ranks), sizeof *made->at);
    made->of_launch = arena_array(arena, ranks, sizeof *made->of_launch);
    struct map members = {0};
    count_members(plans, ranks, &members);
    struct matching m = {made, intern_new(), &members, numbered(plans, ranks), arena, &scratch};
    bool good = true;
    for (uint32_t r = 0; r < ranks && good; r++) {
        made->of_launch[r] = arena_array(arena, plans[r]->launch_count, sizeof **made->of_launch);
        good = match_rank(&m, r, err);
    }
    made->count = intern_count(m.keys) - 1;
    good = good && check_matched(&m, made->count, err);
    map_free(&members);
    intern_free(m.keys);
    arena_free(&scratch);
    *meetings = made;
    return good;
}

/* ---- meeting ---- */

uint32_t meetings_count(const struct meetings *meetings)
{
    return meetings->count;
}

uint32_t meetings_of(const struct meetings *meetings, uint32_t rank, uint32_t launch)
{
    return meetings->of_launch[rank][launch];
}

str meetings_name(const struct meetings *meetings, uint32_t rank, uint32_t launch, struct arena *arena)
{
    const uint32_t id = meetings->of_launch[rank][launch];
    if (id == MEETS_NOBODY)
        return S("");
    const struct plan *plan = meetings->plans[rank];
    const struct collective *collective = collective_of(plan, &plan->launches[launch]);
    const str kind = kind_of(&meetings->at[id]), group = group_of(plan, collective)->name;
    return str_printf(arena, "%.*s %lld of group '%.*s'", (int)kind.len, kind.at, (long long)collective->seq,
                      (int)group.len, group.at);
}
