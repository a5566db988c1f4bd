/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A way: what it starts from and what follows, four bits, above them which act that is (how many before this one) or which slot.
 * Then, where it has them, its changes: how many, and of each 0 and a slot, which takes what it is up to there, or a kind (one
 * more; 1: always) and by how much it is longer; then the act that its kernel follows and how long it waited for that at most.
 */
#include "lines_ways.h"

#include "base/order.h"

enum { FROM_NOTHING, FROM_ENTRY, FROM_EXIT, FROM_SLOT, HAS_CHANGES = 4, FOLLOWS = 8, HEAD_BITS = 4 };
enum { TAG_SLOT, TAG_ALWAYS, TAGS };

/* Of a stretch: whether it was seen, and then whether it was written; from SLOTS on with the number of a slot. */
enum { UNSEEN, SEEN, SHARED, WRITTEN, SLOTS };

struct laying {
    const struct turns *turns;
    const struct way_changes *changes;
    uint32_t **state; /* by rank and stretch */
    uint32_t *chain;  /* stretches that wait for one another, the last first */
    uint32_t chain_len;
    bool writes; /* else it looks what is shared */
    uint32_t slots;
    struct buf bytes, way; /* all; the changes of one */
};

/* Where a way leads: an act, or the end of a rank. */
struct goal {
    uint32_t act, rank;
    uint32_t before; /* acts below it are over */
    struct strip_link link;
    int64_t recorded_ns;
    uint32_t follows; /* the act that its kernel follows; NO_MEETING */
};

static void put_signed(struct buf *into, int64_t value)
{
    varint_put(into, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static int64_t get_signed(const uint8_t **at)
{
    const uint64_t value = varint_get(at);
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

/* ---- what a way starts from ---- */

/* Back to a stretch that was run before, a collective or the beginning. *recorded_ns: when that is over. */
static struct strip_link back(struct laying *l, const struct goal *goal, int64_t *recorded_ns)
{
    const struct lines *lines = l->turns->lines;
    const struct strip *strip = lines->at[goal->rank].strip;
    const uint32_t *state = l->state[goal->rank], run = l->writes ? WRITTEN : SEEN;
    struct strip_link link = goal->link;
    for (l->chain_len = 0; link.from == STRIP_STRETCH && state[link.index] < run;
         link = strip->stretches[link.index].before) {
        l->chain[l->chain_len++] = link.index;
        *recorded_ns = line_time_ns(lines, goal->rank, strip_start_ns(strip, &strip->stretches[link.index]));
    }
    return link;
}

/* What comes after a collective begins as long after its end, or its entry, as recorded. */
static uint64_t head_of(const struct laying *l, const struct goal *goal, struct strip_link link, int64_t recorded_ns)
{
    const struct lines *lines = l->turns->lines;
    if (link.from == STRIP_STRETCH)
        return FROM_SLOT | (uint64_t)(l->state[goal->rank][link.index] - SLOTS) << HEAD_BITS;
    if (link.from != STRIP_COLLECTIVE)
        return FROM_NOTHING;
    const uint32_t act = turns_exit_act(l->turns, goal->rank, link.index);
    if (act >= goal->before)
        return FROM_NOTHING;
    const uint32_t collective = l->turns->acts[act].collective;
    const struct line_meeting *met = line_blocking(lines, goal->rank, collective);
    const bool inside = met && recorded_ns < met->last_ns && recorded_ns < line_exit_ns(lines, goal->rank, collective);
    return (inside ? FROM_ENTRY : FROM_EXIT) | (uint64_t)(goal->act - act) << HEAD_BITS;
}

/* ---- its changes ---- */

static uint32_t put_pieces(struct laying *l, uint32_t r, uint32_t index)
{
    const struct line *line = &l->turns->lines->at[r];
    uint32_t count = 0;
    for (struct strip_walk walk = strip_walk(line->strip, &line->strip->stretches[index]); strip_next(&walk);) {
        const uint32_t kind = line->kind[walk.kind];
        const int64_t longer = l->changes->longer(l->changes->of, r, index, kind, walk.ns);
        if (!longer)
            continue;
        varint_put(&l->way, TAGS + l->turns->lines->kinds[kind].plain);
        put_signed(&l->way, longer);
        count++;
    }
    return count;
}

static uint32_t put_slot(struct laying *l, uint32_t *state)
{
    const bool shared = *state == SHARED;
    *state = shared ? SLOTS + l->slots++ : WRITTEN;
    if (!shared)
        return 0;
    varint_put(&l->way, TAG_SLOT);
    varint_put(&l->way, *state - SLOTS);
    return 1;
}

/* What is between the end of the way and the entry is so in each replay: nothing, where clocks do not drift. */
static uint32_t put_rest(struct laying *l, const struct goal *goal)
{
    const struct lines *lines = l->turns->lines;
    if (goal->link.from != STRIP_STRETCH)
        return 0;
    const int64_t end = lines->at[goal->rank].strip->stretches[goal->link.index].end_ns;
    const int64_t rest = line_time_ns(lines, goal->rank, end) - goal->recorded_ns;
    if (!rest)
        return 0;
    varint_put(&l->way, TAG_ALWAYS);
    put_signed(&l->way, rest);
    return 1;
}

static uint32_t put_changes(struct laying *l, const struct goal *goal)
{
    uint32_t count = 0;
    buf_clear(&l->way);
    while (l->chain_len-- > 0) {
        const uint32_t index = l->chain[l->chain_len];
        count += put_pieces(l, goal->rank, index);
        count += put_slot(l, &l->state[goal->rank][index]);
    }
    return count + put_rest(l, goal);
}

/* ---- a way ---- */

static void put_way(struct laying *l, const struct goal *goal, uint64_t head)
{
    const uint32_t changes = put_changes(l, goal);
    const bool follows = goal->follows != NO_MEETING;
    varint_put(&l->bytes, head | (changes ? HAS_CHANGES : 0) | (follows ? FOLLOWS : 0));
    if (changes) {
        varint_put(&l->bytes, changes);
        buf_add(&l->bytes, buf_str(&l->way));
    }
    if (!follows)
        return;
    const struct act *before = &l->turns->acts[goal->follows];
    varint_put(&l->bytes, goal->act - goal->follows);
    put_signed(&l->bytes, goal->recorded_ns - line_exit_ns(l->turns->lines, goal->rank, before->collective));
}

static void lay(struct laying *l, const struct goal *goal)
{
    int64_t recorded_ns = goal->recorded_ns;
    uint32_t *state = l->state[goal->rank];
    const struct strip_link link = back(l, goal, &recorded_ns);
    if (l->writes) {
        put_way(l, goal, head_of(l, goal, link, recorded_ns));
        return;
    }
    if (link.from == STRIP_STRETCH)
        state[link.index] = SHARED;
    while (l->chain_len-- > 0)
        state[l->chain[l->chain_len]] = SEEN;
}

/* ---- all of them ---- */

/* The collectives of a device and a group follow one another where they did as recorded: by rank the last of each group. */
struct groups {
    uint32_t **last; /* by rank and group: one above its index; 0: none */
};

static struct groups groups_of(const struct lines *lines, struct arena *arena)
{
    struct groups groups = {arena_array(arena, lines->count, sizeof *groups.last)};
    for (uint32_t r = 0; r < lines->count; r++) {
        const struct rank_numbers *numbers = lines->at[r].numbers;
        uint32_t count = 0;
        for (uint32_t i = 0; i < numbers->collective_count; i++)
            count = numbers->collectives[i].of.group >= count ? numbers->collectives[i].of.group + 1 : count;
        groups.last[r] = arena_array(arena, numbers->collective_count, sizeof(uint32_t));
        uint32_t *last = arena_array(arena, count, sizeof *last);
        for (uint32_t i = 0; i < numbers->collective_count; i++) {
            const uint32_t group = numbers->collectives[i].of.group;
            groups.last[r][i] = last[group];
            last[group] = i + 1;
        }
    }
    return groups;
}

static uint32_t followed(const struct turns *turns, const struct groups *groups, const struct act *act, uint32_t before)
{
    const struct lines *lines = turns->lines;
    const uint32_t last = groups->last[act->rank][act->collective];
    const struct collective *of = &lines->at[act->rank].numbers->collectives[act->collective].of;
    if (!last || of->on_host || line_exit_ns(lines, act->rank, last - 1) > act->entry_ns)
        return NO_MEETING;
    const uint32_t exit = turns_exit_act(turns, act->rank, last - 1);
    return exit < before ? exit : NO_MEETING;
}

static void lay_all(struct laying *l, const struct groups *groups)
{
    const struct turns *turns = l->turns;
    const struct lines *lines = turns->lines;
    for (uint32_t t = 0; t < turns->count; t++)
        for (uint32_t i = turns->at[t].first; i < turns->at[t].first + turns->at[t].count; i++) {
            const struct act *act = &turns->acts[i];
            lay(l, &(struct goal){i, act->rank, turns->at[t].first, lines->at[act->rank].strip->ways[act->collective],
                                  act->entry_ns, followed(turns, groups, act, turns->at[t].first)});
        }
    for (uint32_t r = 0; r < lines->count; r++) {
        const struct strip *strip = lines->at[r].strip;
        lay(l, &(struct goal){turns->act_count, r, turns->act_count, strip->ways[strip->way_count - 1],
                              line_time_ns(lines, r, strip->last_ns), NO_MEETING});
    }
}

struct ways ways_of(const struct turns *turns, const struct way_changes *changes, struct arena *arena)
{
    struct arena scratch = {0};
    const struct lines *lines = turns->lines;
    struct laying l = {
        .turns = turns, .changes = changes, .state = arena_array(&scratch, lines->count, sizeof *l.state)};
    uint32_t longest = 0;
    for (uint32_t r = 0; r < lines->count; r++) {
        const uint32_t stretches = lines->at[r].strip->stretch_count;
        l.state[r] = arena_array(&scratch, stretches, sizeof **l.state);
        longest = stretches > longest ? stretches : longest;
    }
    l.chain = arena_array(&scratch, longest, sizeof *l.chain);
    const struct groups groups = groups_of(lines, &scratch);
    lay_all(&l, &groups);
    l.writes = true;
    lay_all(&l, &groups);
    buf_free(&l.way);
    arena_free(&scratch);
    arena_take(arena, l.bytes.at, l.bytes.len);
    return (struct ways){(const uint8_t *)l.bytes.at, l.slots};
}

/* ---- reading ---- */

static int64_t with_changes(struct way_reader *w, uint32_t rank, int64_t later)
{
    for (uint64_t left = varint_get(&w->at); left; left--) {
        const uint32_t tag = (uint32_t)varint_get(&w->at);
        if (tag == TAG_SLOT) {
            w->times->slot_ns[varint_get(&w->at)] = later;
            continue;
        }
        const int64_t longer = get_signed(&w->at);
        if (tag == TAG_ALWAYS || (w->wants && w->wants(w->of, rank, tag - TAGS)))
            later += longer;
    }
    return later;
}

int64_t way_next(struct way_reader *w, uint32_t act, uint32_t rank)
{
    const struct way_times *times = w->times;
    const uint64_t head = varint_get(&w->at);
    const uint32_t from = (uint32_t)(head >> HEAD_BITS), start = head & FROM_SLOT;
    int64_t later = start == FROM_ENTRY  ? times->entry_ns[act - from]
                    : start == FROM_EXIT ? times->exit_ns[act - from]
                    : start == FROM_SLOT ? times->slot_ns[from]
                                         : 0;
    if (head & HAS_CHANGES)
        later = with_changes(w, rank, later);
    if (head & FOLLOWS) {
        const int64_t exit_later = times->exit_ns[act - (uint32_t)varint_get(&w->at)];
        later = larger_of(later, exit_later - get_signed(&w->at));
    }
    return later;
}
