/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_match.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"

/* ---- matches ---- */

struct matching {
    const struct rank_numbers *const *ranks;
    uint32_t rank_count;
    struct meeting_member *members; /* of all keys, in order of key */
    uint32_t count;
    uint32_t not_matchable;
    struct match_doubt doubt;
};

static const struct rank_collective *collective_of(const struct matching *m, const struct meeting_member *member)
{
    return &m->ranks[member->rank]->collectives[member->index];
}

static uint32_t count_all(const struct matching *m)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < m->rank_count; r++)
        count += m->ranks[r]->collective_count;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static void find_keys(struct matching *m)
{
    struct arena scratch = {0};
    struct collective_line *lines = arena_array(&scratch, m->rank_count, sizeof *lines);
    for (uint32_t r = 0; r < m->rank_count; r++) {
        const struct rank_numbers *rank = m->ranks[r];
        lines[r] = (struct collective_line){arena_array(&scratch, rank->collective_count, sizeof *lines->at),
                                            rank->collective_count, rank->origin_ns, rank->dated};
        for (uint32_t i = 0; i < lines[r].count; i++) {
            const struct rank_collective *one = &rank->collectives[i];
            lines[r].at[i] = collective_point(&one->of, &rank->groups[one->of.group], one->step);
        }
    }
    m->doubt = collectives_match(lines, m->rank_count);
    for (uint32_t r = 0; r < m->rank_count; r++)
        for (uint32_t i = 0; i < lines[r].count; i++)
            m->ranks[r]->collectives[i].key = lines[r].at[i].key;
    arena_free(&scratch);
}

/* Every collective with a key, rank by rank. */
static void list_members(struct matching *m, uint32_t room, struct meeting_member *members)
{
    for (uint32_t r = 0; r < m->rank_count; r++)
        for (uint32_t i = 0; i < m->ranks[r]->collective_count && m->count < room; i++) {
            if (m->ranks[r]->collectives[i].key)
                members[m->count++] = (struct meeting_member){.rank = r, .index = i};
            else
                m->not_matchable++;
        }
}

static void sort_members(struct matching *m, struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t room = count_all(m);
    struct meeting_member *listed = arena_array(&scratch, room, sizeof *listed);
    list_members(m, room, listed);
    struct keyed *order = arena_array(&scratch, m->count, sizeof *order);
    for (uint32_t i = 0; i < m->count; i++)
        order[i] = (struct keyed){(int64_t)collective_of(m, &listed[i])->key, i};
    sort_keyed(order, m->count);
    m->members = arena_array(arena, m->count, sizeof *m->members);
    for (uint32_t i = 0; i < m->count; i++)
        m->members[i] = listed[order[i].row];
    arena_free(&scratch);
}

/* The run of equal keys that begins at the member. */
static uint32_t run_length(const struct matching *m, uint32_t first)
{
    const uint64_t key = collective_of(m, &m->members[first])->key;
    uint32_t end = first + 1;
    while (end < m->count && collective_of(m, &m->members[end])->key == key)
        end++;
    return end - first;
}

static bool is_message(const struct matching *m, uint32_t first)
{
    return collective_of(m, &m->members[first])->of.kind == COLLECTIVE_POINT_TO_POINT;
}

/* ---- how many members a collective of a group has ---- */

struct attendance {
    struct map members; /* of a group and a number: collectives that so many ranks came to, times the number */
    struct map most;    /* of a group: the number with the most */
};

/* By kind, too: a file that breaks off may have all of one kind and none of another, as threads are written one by one. */
static uint64_t group_of(const struct matching *m, uint32_t first)
{
    const struct meeting_member *member = &m->members[first];
    const struct collective *of = &collective_of(m, member)->of;
    return hash_add(hash_add(m->ranks[member->rank]->groups[of->group].identity, of->on_host), of->kind);
}

static uint32_t get(const struct map *map, uint64_t key)
{
    const uint32_t value = map_get(map, (int64_t)key);
    return value == MAP_NONE ? 0 : value;
}

static void attend(struct attendance *attendance, uint64_t group, uint32_t number)
{
    const uint64_t key = hash_add(group, number);
    const uint32_t now = get(&attendance->members, key) + number;
    map_put(&attendance->members, (int64_t)key, now);
    const uint32_t usual = get(&attendance->most, group);
    if (now > get(&attendance->members, hash_add(group, usual)))
        map_put(&attendance->most, (int64_t)group, number);
}

/* Both ends of a message between two; of others as many as most collectives of the group and kind have. */
static uint32_t needed(const struct matching *m, const struct attendance *attendance, uint32_t first)
{
    return is_message(m, first) ? 2 : get(&attendance->most, group_of(m, first));
}

static struct attendance attendance_of(const struct matching *m)
{
    struct attendance attendance = {0};
    for (uint32_t first = 0, n; first < m->count; first += n) {
        n = run_length(m, first);
        if (!is_message(m, first))
            attend(&attendance, group_of(m, first), n);
    }
    return attendance;
}

/* ---- the complete ones ---- */

struct matches ranks_match(const struct rank_numbers *const *ranks, uint32_t count, struct arena *arena)
{
    struct matching m = {.ranks = ranks, .rank_count = count};
    find_keys(&m);
    sort_members(&m, arena);
    struct attendance attendance = attendance_of(&m);
    struct matches out = {.members = m.members, .not_matchable = m.not_matchable, .doubt = m.doubt};
    out.at = arena_array(arena, m.count / 2, sizeof *out.at);
    out.partial = arena_array(arena, m.count / 2, sizeof *out.partial);
    for (uint32_t first = 0, n; first < m.count; first += n) {
        n = run_length(&m, first);
        if (n >= 2 && n >= needed(&m, &attendance, first))
            out.at[out.count++] = (struct match){first, n};
        else
            out.incomplete += n;
        if (n >= 2 && n < needed(&m, &attendance, first))
            out.partial[out.partial_count++] = (struct match){first, n};
    }
    map_free(&attendance.members);
    map_free(&attendance.most);
    return out;
}
