/* SPDX-License-Identifier: Apache-2.0 */
#include "lines_replay.h"

#include "base/order.h"
#include "base/sort.h"

/* A meeting, or a collective of one rank that waits for nobody. */
struct turn {
    uint32_t meeting; /* NO_MEETING: the collective */
    uint32_t rank, collective;
};

/* A rank in the replay. */
struct runner {
    int64_t *entry_ns, *exit_ns; /* by collective */
    int64_t *come_ns;            /* by leading collective: when the last of all that its kernel carries out had come */
    int64_t *end_ns;             /* by stretch */
    bool *met;                   /* by collective: it has had its turn */
    bool *ran;                   /* by stretch */
    uint32_t *follows;           /* by collective: of its group on the device, the one it came after; NO_MEETING */
    int64_t first_ns;
};

struct replay {
    const struct lines *lines;
    struct runner *at;
    const struct turn *turns;
    uint32_t turn_count;
    int64_t start_ns;
    uint32_t *chain; /* of stretches that wait for one another */
};

/* ---- the order ---- */

static uint32_t count_all(const struct lines *lines)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < lines->count; r++)
        count += lines->at[r].numbers->collective_count;
    return count;
}

static void order_turns(struct replay *p, struct arena *arena)
{
    struct arena scratch = {0};
    const struct lines *lines = p->lines;
    const uint32_t most = count_all(lines);
    struct turn *all = arena_array(&scratch, most, sizeof *all), *turns = arena_array(arena, most, sizeof *turns);
    struct keyed *order = arena_array(&scratch, most, sizeof *order);
    for (uint32_t r = 0; r < lines->count; r++)
        for (uint32_t i = 0; i < lines->at[r].numbers->collective_count; i++) {
            const struct line_meeting *met = line_blocking(lines, r, i);
            if (met && (met->last_rank != r || met->last_index != i))
                continue;
            all[p->turn_count] = (struct turn){met ? lines->at[r].meeting[i] : NO_MEETING, r, i};
            order[p->turn_count] = (struct keyed){line_entry_ns(lines, r, i), p->turn_count};
            p->turn_count++;
        }
    sort_keyed(order, p->turn_count);
    for (uint32_t i = 0; i < p->turn_count; i++)
        turns[i] = all[order[i].row];
    p->turns = turns;
    arena_free(&scratch);
}

/* The collectives of a device and a group follow one another where they did as recorded. */
static void find_followers(const struct lines *lines, uint32_t r, uint32_t *follows)
{
    struct arena scratch = {0};
    const struct rank_numbers *numbers = lines->at[r].numbers;
    uint32_t groups = 0;
    for (uint32_t i = 0; i < numbers->collective_count; i++)
        groups = (uint32_t)larger_of(groups, (int64_t)numbers->collectives[i].of.group + 1);
    uint32_t *last = arena_array(&scratch, groups, sizeof *last); /* one above its index; 0: none */
    for (uint32_t i = 0; i < numbers->collective_count; i++) {
        const struct collective *of = &numbers->collectives[i].of;
        const uint32_t before = last[of->group];
        const bool apart = before && line_exit_ns(lines, r, before - 1) <= line_entry_ns(lines, r, i);
        follows[i] = apart && !of->on_host ? before - 1 : NO_MEETING;
        last[of->group] = i + 1;
    }
    arena_free(&scratch);
}

struct replay *lines_replay_new(const struct lines *lines, struct arena *arena)
{
    struct replay *p = arena_alloc(arena, sizeof *p);
    uint32_t longest = 0;
    *p = (struct replay){
        .lines = lines, .at = arena_array(arena, lines->count, sizeof *p->at), .start_ns = lines->start_ns};
    for (uint32_t r = 0; r < lines->count; r++) {
        const uint32_t collectives = lines->at[r].numbers->collective_count;
        const uint32_t stretches = lines->at[r].strip->stretch_count;
        p->at[r] = (struct runner){
            arena_array(arena, collectives, sizeof(int64_t)),  arena_array(arena, collectives, sizeof(int64_t)),
            arena_array(arena, collectives, sizeof(int64_t)),  arena_array(arena, stretches, sizeof(int64_t)),
            arena_array(arena, collectives, sizeof(bool)),     arena_array(arena, stretches, sizeof(bool)),
            arena_array(arena, collectives, sizeof(uint32_t)), line_time_ns(lines, r, lines->at[r].strip->first_ns)};
        find_followers(lines, r, p->at[r].follows);
        longest = stretches > longest ? stretches : longest;
    }
    p->chain = arena_array(arena, longest, sizeof *p->chain);
    order_turns(p, arena);
    return p;
}

/* ---- a run ---- */

struct run {
    struct replay *replay;
    const struct replay_change *change;
};

/* What a stretch takes; where clocks drift it also takes what its pieces do not. */
static int64_t length_of(const struct run *run, uint32_t r, uint32_t index)
{
    const struct lines *lines = run->replay->lines;
    const struct strip *strip = lines->at[r].strip;
    const struct strip_stretch *stretch = &strip->stretches[index];
    int64_t ns = line_time_ns(lines, r, stretch->end_ns) - line_time_ns(lines, r, strip_start_ns(strip, stretch));
    if (run->change->piece)
        for (struct strip_walk walk = strip_walk(strip, stretch); strip_next(&walk);)
            ns += run->change->piece(run->change->of, r, index, lines->at[r].kind[walk.kind], walk.ns) - walk.ns;
    return ns > 0 ? ns : 0;
}

/* When what comes after a collective begins: as long after its end, or its entry, as recorded. */
static int64_t after_collective(const struct run *run, uint32_t r, uint32_t any, int64_t recorded_ns)
{
    const struct lines *lines = run->replay->lines;
    const uint32_t collective = lines->at[r].lead[any];
    const struct runner *runner = &run->replay->at[r];
    const struct line_meeting *met = line_blocking(lines, r, collective);
    const int64_t exit = line_exit_ns(lines, r, collective), entry = line_entry_ns(lines, r, collective);
    if (!runner->met[collective])
        return recorded_ns;
    if (met && recorded_ns < met->last_ns && recorded_ns < exit)
        return runner->entry_ns[collective] + recorded_ns - entry;
    return runner->exit_ns[collective] + recorded_ns - exit;
}

/* When that is over now which ended then. Stretches are run from the first of a chain that has not been. */
static int64_t time_of(const struct run *run, uint32_t r, struct strip_link link, int64_t recorded_ns)
{
    const struct lines *lines = run->replay->lines;
    const struct strip *strip = lines->at[r].strip;
    const struct strip_stretch *stretches = strip->stretches;
    struct runner *runner = &run->replay->at[r];
    uint32_t *chain = run->replay->chain, count = 0;
    for (; link.from == STRIP_STRETCH && !runner->ran[link.index]; link = stretches[link.index].before) {
        chain[count++] = link.index;
        recorded_ns = line_time_ns(lines, r, strip_start_ns(strip, &stretches[link.index]));
    }
    int64_t now = link.from == STRIP_STRETCH      ? runner->end_ns[link.index]
                  : link.from == STRIP_COLLECTIVE ? after_collective(run, r, link.index, recorded_ns)
                                                  : recorded_ns;
    while (count-- > 0) {
        now += length_of(run, r, chain[count]);
        runner->end_ns[chain[count]] = now;
        runner->ran[chain[count]] = true;
    }
    return now;
}

/* By how much later than recorded a rank left a collective. */
static int64_t left_later_ns(const struct run *run, uint32_t r, uint32_t any)
{
    const struct runner *runner = &run->replay->at[r];
    const uint32_t collective = run->replay->lines->at[r].lead[any];
    return runner->met[collective] ? runner->exit_ns[collective] - line_exit_ns(run->replay->lines, r, collective) : 0;
}

/* By how much later than recorded a rank comes to a collective, or to the end, as it answers; 0 where it does not. */
static int64_t comes_later_ns(const struct run *run, uint32_t r, uint32_t row)
{
    const struct replay_answers *answers = run->change->answers;
    struct response_walk walk = response_walk(answers->of[r], row, answers->blend[r]);
    int64_t later = INT64_MIN;
    while (response_next(&walk))
        later =
            larger_of(later, (walk.exit == RESPONSE_START ? 0 : left_later_ns(run, r, walk.exit)) - walk.earlier_ns);
    return later == INT64_MIN ? 0 : later;
}

/* What lies before the steps that are judged is as it was. */
static bool moves_free(const struct run *run, uint32_t r, uint32_t collective)
{
    const struct lines *lines = run->replay->lines;
    const struct replay_answers *answers = run->change->answers;
    return answers && answers->no_transfer &&
           line_exit_ns(lines, r, collective) > line_time_ns(lines, r, answers->of[r]->changes_ns);
}

static void enter(const struct run *run, uint32_t r, uint32_t collective)
{
    const struct lines *lines = run->replay->lines;
    struct runner *runner = &run->replay->at[r];
    const uint32_t follows = runner->follows[collective];
    if (run->change->answers) {
        runner->entry_ns[collective] = line_entry_ns(lines, r, collective) + comes_later_ns(run, r, collective);
        return;
    }
    const uint32_t before = follows == NO_MEETING ? NO_MEETING : lines->at[r].lead[follows];
    int64_t now = time_of(run, r, lines->at[r].strip->ways[collective], line_entry_ns(lines, r, collective));
    if (before != NO_MEETING && runner->met[before])
        now = larger_of(now, runner->exit_ns[before]);
    runner->entry_ns[collective] = now;
}

/* As long after the last entry as recorded, or as changed; of several in one kernel when all have come. */
static void leave(const struct run *run, uint32_t meeting, uint32_t r, uint32_t collective, int64_t last_now_ns)
{
    struct runner *runner = &run->replay->at[r];
    const uint32_t lead = run->replay->lines->at[r].lead[collective];
    runner->come_ns[lead] = larger_of(runner->come_ns[lead], last_now_ns);
    if (lead != collective)
        return;
    const int64_t last_ns = run->replay->lines->meetings[meeting].last_ns;
    int64_t transfer = line_exit_ns(run->replay->lines, r, collective) - last_ns;
    if (transfer > 0 && moves_free(run, r, collective))
        transfer = 0;
    const bool changed = run->change->transfer && transfer > 0;
    runner->exit_ns[collective] =
        runner->come_ns[lead] + (changed ? run->change->transfer(run->change->of, meeting, transfer) : transfer);
    runner->met[collective] = true;
}

/* What a collective takes that waits for nobody; where bytes move at once it takes what it waited. */
static int64_t alone_ns(const struct run *run, uint32_t r, uint32_t collective)
{
    const struct lines *lines = run->replay->lines;
    const int64_t entry = line_entry_ns(lines, r, collective), exit = line_exit_ns(lines, r, collective);
    const uint32_t meeting = lines->at[r].meeting[collective];
    if (!moves_free(run, r, collective))
        return exit - entry;
    return meeting == NO_MEETING ? 0 : larger_of(smaller_of(lines->meetings[meeting].last_ns, exit) - entry, 0);
}

static void hold_alone(const struct run *run, uint32_t r, uint32_t collective)
{
    struct runner *runner = &run->replay->at[r];
    enter(run, r, collective);
    runner->exit_ns[collective] = runner->entry_ns[collective] + alone_ns(run, r, collective);
    runner->met[collective] = true;
}

/* The late rank comes with the last but one. */
static bool is_awaited(const struct run *run, const struct meeting *of, uint32_t r)
{
    return !run->change->answers || run->change->answers->late != r || of->count < 2;
}

static void hold(const struct run *run, const struct turn *turn)
{
    const struct lines *lines = run->replay->lines;
    if (turn->meeting == NO_MEETING) {
        hold_alone(run, turn->rank, turn->collective);
        return;
    }
    const struct meeting *of = &lines->ranks->meetings[turn->meeting];
    const struct meeting_member *members = lines->ranks->members + of->first;
    int64_t last_now_ns = INT64_MIN;
    for (uint32_t k = 0; k < of->count; k++) {
        enter(run, members[k].rank, members[k].index);
        if (is_awaited(run, of, members[k].rank))
            last_now_ns = larger_of(last_now_ns, run->replay->at[members[k].rank].entry_ns[members[k].index]);
    }
    for (uint32_t k = 0; k < of->count; k++)
        leave(run, turn->meeting, members[k].rank, members[k].index, last_now_ns);
}

static void begin(struct replay *p)
{
    for (uint32_t r = 0; r < p->lines->count; r++) {
        for (uint32_t i = 0; i < p->lines->at[r].numbers->collective_count; i++)
            p->at[r].come_ns[i] = INT64_MIN;
        memset(p->at[r].met, 0, p->lines->at[r].numbers->collective_count * sizeof *p->at[r].met);
        memset(p->at[r].ran, 0, p->lines->at[r].strip->stretch_count * sizeof *p->at[r].ran);
    }
}

static void hold_all(const struct run *run)
{
    begin(run->replay);
    for (uint32_t i = 0; i < run->replay->turn_count; i++)
        hold(run, &run->replay->turns[i]);
}

/* By how much longer the steps of a rank take. */
static int64_t longer_ns(const struct run *run, uint32_t r)
{
    const struct responses *of = run->change->answers->of[r];
    return of->row_at ? comes_later_ns(run, r, responses_end_row(of)) - comes_later_ns(run, r, responses_from_row(of))
                      : 0;
}

void lines_replay_longer(struct replay *replay, const struct replay_change *change, int64_t *longer)
{
    const uint32_t late = change->answers->late;
    const struct run run = {replay, change};
    hold_all(&run);
    int64_t last = INT64_MIN;
    for (uint32_t r = 0; r < replay->lines->count; r++) {
        longer[r] = longer_ns(&run, r);
        last = r == late ? last : larger_of(last, longer[r]);
    }
    if (late < replay->lines->count && last != INT64_MIN)
        longer[late] = smaller_of(longer[late], last);
}

int64_t lines_replay_run(struct replay *replay, const struct replay_change *change)
{
    const struct lines *lines = replay->lines;
    const struct run run = {replay, change};
    int64_t last = INT64_MIN;
    hold_all(&run);
    for (uint32_t r = 0; r < lines->count; r++) {
        const struct strip *strip = lines->at[r].strip;
        const int64_t recorded = line_time_ns(lines, r, strip->last_ns);
        last = larger_of(last, time_of(&run, r, strip->ways[strip->way_count - 1], recorded));
    }
    return last - replay->start_ns;
}
