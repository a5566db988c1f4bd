/* SPDX-License-Identifier: Apache-2.0 */
#include "lines_turns.h"

#include "base/sort.h"

/* A turn before it is in order. */
struct candidate {
    uint32_t meeting, rank, collective; /* the last of the meeting */
};

struct ordering {
    const struct lines *lines;
    struct candidate *all;
    struct keyed *order;
    uint32_t count;
};

static uint32_t count_all(const struct lines *lines)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < lines->count; r++)
        count += lines->at[r].numbers->collective_count;
    return count;
}

/* Each has its turn when the last of it comes. */
static void order_all(struct ordering *o)
{
    const struct lines *lines = o->lines;
    for (uint32_t r = 0; r < lines->count; r++)
        for (uint32_t i = 0; i < lines->at[r].numbers->collective_count; i++) {
            const struct line_meeting *met = line_blocking(lines, r, i);
            if (met && (met->last_rank != r || met->last_index != i))
                continue;
            o->all[o->count] = (struct candidate){met ? lines->at[r].meeting[i] : NO_MEETING, r, i};
            o->order[o->count] = (struct keyed){line_entry_ns(lines, r, i), o->count};
            o->count++;
        }
    sort_keyed(o->order, o->count);
}

static struct act act_of(const struct lines *lines, uint32_t r, uint32_t collective, uint32_t meeting)
{
    const int64_t entry = line_entry_ns(lines, r, collective);
    const int64_t from = meeting == NO_MEETING ? entry : lines->meetings[meeting].last_ns;
    return (struct act){entry, line_exit_ns(lines, r, collective) - from, r, collective};
}

static void add_turn(struct turns *turns, const struct candidate *of, struct turn *turn, struct act *acts)
{
    const struct lines *lines = turns->lines;
    *turn = (struct turn){turns->act_count, 1, of->meeting};
    if (of->meeting == NO_MEETING) {
        acts[turns->act_count++] = act_of(lines, of->rank, of->collective, NO_MEETING);
        return;
    }
    const struct meeting *met = &lines->ranks->meetings[of->meeting];
    const struct meeting_member *members = lines->ranks->members + met->first;
    turn->count = met->count;
    for (uint32_t k = 0; k < met->count; k++)
        acts[turns->act_count++] = act_of(lines, members[k].rank, members[k].index, of->meeting);
}

static void add_turns(struct turns *turns, struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t most = count_all(turns->lines);
    struct ordering o = {turns->lines, arena_room(&scratch, most, sizeof *o.all),
                         arena_room(&scratch, most, sizeof *o.order), 0};
    order_all(&o);
    struct turn *at = arena_room(arena, o.count, sizeof *at);
    struct act *acts = arena_room(arena, most, sizeof *acts);
    for (uint32_t i = 0; i < o.count; i++)
        add_turn(turns, &o.all[o.order[i].row], &at[i], acts);
    turns->at = at;
    turns->acts = acts;
    turns->count = o.count;
    arena_free(&scratch);
}

static void find_exits(struct turns *turns, struct arena *arena)
{
    struct arena scratch = {0};
    const struct lines *lines = turns->lines;
    uint32_t *first = arena_array(arena, lines->count, sizeof *first);
    for (uint32_t r = 1; r < lines->count; r++)
        first[r] = first[r - 1] + lines->at[r - 1].numbers->collective_count;
    uint32_t *own = arena_array(&scratch, turns->act_count, sizeof *own);
    uint32_t *exit = arena_room(arena, turns->act_count, sizeof *exit);
    for (uint32_t i = 0; i < turns->act_count; i++)
        own[first[turns->acts[i].rank] + turns->acts[i].collective] = i;
    for (uint32_t r = 0; r < lines->count; r++)
        for (uint32_t i = 0; i < lines->at[r].numbers->collective_count; i++) {
            exit[first[r] + i] = own[first[r] + lines->at[r].lead[i]];
            turns->in_kernels |= lines->at[r].lead[i] != i;
        }
    turns->first = first;
    turns->exit_act = exit;
    arena_free(&scratch);
}

struct turns turns_of(const struct lines *lines, struct arena *arena)
{
    struct turns turns = {.lines = lines};
    add_turns(&turns, arena);
    find_exits(&turns, arena);
    return turns;
}
