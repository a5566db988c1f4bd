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
    uint32_t *unmet;      /* by rank */
    struct match_doubt doubt;
};

static const struct collective *collective_of(const struct plan *plan, const struct plan_launch *launch)
{
    const struct program *program = plan->program;
    if (launch->gone || !program || launch->collective >= program->collective_count)
        return NULL;
    const struct collective *collective = &program->collectives[launch->collective];
    return collective_is_blocking((enum collective_kind)collective->kind) ? collective : NULL;
}

static const struct collective_group *group_of(const struct plan *plan, const struct collective *collective)
{
    return program_group_of(plan->program, collective);
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
    const struct collective_group *group = program_group_of(program, collective);
    const int64_t size = group->size > 0 ? group->size : group->identity ? 0 : program->world_size;
    return size > 0 ? size : 0;
}

/* Where ranks of the group are missing, who waited for whom is not known, and the recorded times stay. */
static bool all_here(const struct plan *plan, const struct collective *collective, const struct map *members)
{
    const int64_t here = map_get(members, (int64_t)group_of(plan, collective)->identity);
    return here >= meeting_size(plan->program, collective);
}

/* ---- matching by number, else by order ---- */

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
    struct arena *scratch;
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

static bool match_by_order(struct meetings *into, const struct map *members, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct matching m = {into, intern_new(), members, numbered(into->plans, into->ranks), &scratch};
    bool good = true;
    for (uint32_t r = 0; r < into->ranks && good; r++)
        good = match_rank(&m, r, err);
    into->count = intern_count(m.keys) - 1;
    good = good && check_matched(&m, into->count, err);
    intern_free(m.keys);
    arena_free(&scratch);
    return good;
}

/* ---- matching by time ---- */

/* All collectives tell when they ran. */
static bool timed(const struct plan *const *plans, uint32_t ranks)
{
    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t i = 0; i < plans[r]->launch_count; i++) {
            const struct collective *collective = collective_of(plans[r], &plans[r]->launches[i]);
            if (collective && (plans[r]->launches[i].source == PLAN_NONE || collective->dur_ns < 0))
                return false;
        }
    return true;
}

/* Of a rank the collectives whose group is here whole, and which launches they are. */
static struct collective_line line_of(const struct plan *plan, const struct map *members, uint32_t *launches,
                                      struct arena *scratch)
{
    struct collective_line line = {.at = arena_array(scratch, plan->launch_count, sizeof *line.at)};
    line.origin_ns = plan->program ? plan->program->origin_ns : 0;
    line.dated = plan->program && plan->program->dated;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const struct collective *collective = collective_of(plan, &plan->launches[i]);
        if (!collective || !all_here(plan, collective, members))
            continue;
        launches[line.count] = i;
        line.at[line.count++] = collective_point(collective, group_of(plan, collective), plan->program->step);
    }
    return line;
}

struct timed_rank {
    struct collective_line line;
    uint32_t *launches; /* by point */
};

static void count_coming(const struct timed_rank *ranks, uint32_t count, struct map *coming)
{
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t i = 0; i < ranks[r].line.count; i++) {
            const int64_t key = (int64_t)ranks[r].line.at[i].key;
            const uint32_t so_far = map_get(coming, key);
            map_put(coming, key, so_far == MAP_NONE ? 1 : so_far + 1);
        }
}

/* All ranks of the group came to it. */
static bool is_whole(const struct meetings *into, const struct map *members, const struct map *coming, uint32_t rank,
                     const struct timed_rank *of, uint32_t point)
{
    const struct plan *plan = into->plans[rank];
    const struct collective *collective = collective_of(plan, &plan->launches[of->launches[point]]);
    const uint64_t key = of->line.at[point].key;
    return key && map_get(coming, (int64_t)key) == map_get(members, (int64_t)group_of(plan, collective)->identity);
}

static void join_whole(struct meetings *into, const struct map *members, const struct timed_rank *ranks)
{
    struct map coming = {0}, ids = {0};
    count_coming(ranks, into->ranks, &coming);
    for (uint32_t r = 0; r < into->ranks; r++)
        for (uint32_t i = 0; i < ranks[r].line.count; i++) {
            const int64_t key = (int64_t)ranks[r].line.at[i].key;
            if (!is_whole(into, members, &coming, r, &ranks[r], i)) {
                into->unmet[r]++;
                continue;
            }
            if (map_get(&ids, key) == MAP_NONE)
                map_put(&ids, key, into->count++);
            into->of_launch[r][ranks[r].launches[i]] = map_get(&ids, key);
        }
    map_free(&coming);
    map_free(&ids);
}

static bool match_by_time(struct meetings *into, const struct map *members, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct collective_line *lines = arena_array(&scratch, into->ranks, sizeof *lines);
    struct timed_rank *ranks = arena_array(&scratch, into->ranks, sizeof *ranks);
    uint32_t points = 0;
    for (uint32_t r = 0; r < into->ranks; r++) {
        ranks[r].launches = arena_array(&scratch, into->plans[r]->launch_count, sizeof *ranks[r].launches);
        ranks[r].line = lines[r] = line_of(into->plans[r], members, ranks[r].launches, &scratch);
        points += lines[r].count;
    }
    into->doubt = collectives_match(lines, into->ranks);
    join_whole(into, members, ranks);
    arena_free(&scratch);
    return into->count || !points ||
           fail(err, STEPTIME_INPUT, "collectives do not match: of %u none is found on all ranks of its group", points);
}

/* ---- opening ---- */

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
    struct meetings *made = arena_alloc(arena, sizeof *made);
    *made = (struct meetings){.plans = plans, .ranks = ranks};
    made->at = arena_array(arena, launches_of(plans, ranks), sizeof *made->at);
    made->of_launch = arena_array(arena, ranks, sizeof *made->of_launch);
    made->unmet = arena_array(arena, ranks, sizeof *made->unmet);
    for (uint32_t r = 0; r < ranks; r++) {
        made->of_launch[r] = arena_array(arena, plans[r]->launch_count, sizeof **made->of_launch);
        memset(made->of_launch[r], 0xFF, plans[r]->launch_count * sizeof **made->of_launch); /* MEETS_NOBODY */
    }
    struct map members = {0};
    count_members(plans, ranks, &members);
    const bool good = timed(plans, ranks) ? match_by_time(made, &members, err) : match_by_order(made, &members, err);
    map_free(&members);
    *meetings = made;
    return good;
}

struct match_doubt meetings_doubt(const struct meetings *meetings)
{
    return meetings->doubt;
}

uint32_t meetings_missed(const struct meetings *meetings, uint32_t rank)
{
    return meetings->unmet[rank];
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
