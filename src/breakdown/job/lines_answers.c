/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laid out by turns: of each act its row, which is how many terms, and of each the slot that holds by how much later that exit is
 * (one more; 0: none) and its units by run; then of each act the slot that it fills (one more; 0: nobody asks). Behind all turns
 * two rows of each rank, for the begin and the end of its steps. A slot is used again when nobody asks any more.
 */
#include "lines_answers.h"

#include "base/mem.h"
#include "base/order.h"
#include "lines_turns.h"

enum { LANES = ANSWERS_ABREAST };

static const int64_t never = INT64_MIN; /* a term does not decide */

struct answerer {
    int64_t unit_ns, changes_ns; /* when its experiments begin */
    uint32_t runs;
    uint8_t run[LANES];
};

struct answers {
    const struct lines *lines;
    const struct responses *const *of;
    struct turns turns;
    struct answerer *ranks;
    const uint8_t *bytes;
    int64_t *later_ns; /* by slot and lane */
    int64_t *
        come_ns; /* by act and lane: when the last of all that its kernel carries out had come; NULL: each has its own */
};

/* ---- laying out ---- */

struct laying {
    const struct answers *answers;
    struct buf bytes;
    uint32_t *last; /* by act: where its exit is asked for last, one more; 0: nowhere, or it is over */
    uint32_t *slot; /* by act: where that is kept, one more */
    uint32_t *free; /* slots */
    size_t free_room;
    uint32_t free_count, slots;
};

/* Calls for each exit that a row asks for. asks: the place of the row in the order. */
static void each_exit(struct laying *l, uint32_t rank, uint32_t row, uint32_t asks,
                      void (*take)(struct laying *l, uint32_t act, uint32_t asks))
{
    const uint8_t *at = l->answers->of[rank]->bytes + l->answers->of[rank]->row_at[row];
    for (uint64_t terms = varint_get(&at); terms; terms--) {
        const uint32_t exit = response_exit(row, varint_get(&at));
        for (uint32_t run = 0; run < l->answers->ranks[rank].runs; run++)
            varint_get(&at);
        if (exit != RESPONSE_START)
            take(l, turns_exit_act(&l->answers->turns, rank, exit), asks);
    }
}

static void note_last(struct laying *l, uint32_t act, uint32_t asks)
{
    l->last[act] = asks + 1;
}

static void let_slot_go(struct laying *l, uint32_t act, uint32_t asks)
{
    if (l->last[act] != asks + 1 || !l->slot[act])
        return;
    l->last[act] = 0;
    l->free = mem_grow(l->free, &l->free_room, l->free_count + 1, sizeof *l->free);
    l->free[l->free_count++] = l->slot[act];
}

static void put_row(struct laying *l, uint32_t rank, uint32_t row, uint32_t asks)
{
    const struct responses *of = l->answers->of[rank];
    const uint8_t *at = of->bytes + of->row_at[row];
    const uint64_t terms = varint_get(&at);
    varint_put(&l->bytes, terms);
    for (uint64_t i = 0; i < terms; i++) {
        const uint32_t exit = response_exit(row, varint_get(&at));
        varint_put(&l->bytes, exit == RESPONSE_START ? 0 : l->slot[turns_exit_act(&l->answers->turns, rank, exit)]);
        const uint8_t *const units = at;
        for (uint32_t run = 0; run < of->run_count; run++)
            varint_get(&at);
        buf_add(&l->bytes, (str){(const char *)units, (size_t)(at - units)});
    }
    each_exit(l, rank, row, asks, let_slot_go);
}

/* The last to be used again is in the cache. */
static void put_slot(struct laying *l, uint32_t act)
{
    if (l->last[act])
        l->slot[act] = l->free_count ? l->free[--l->free_count] : ++l->slots;
    varint_put(&l->bytes, l->slot[act]);
}

static void lay_turns(struct laying *l)
{
    const struct turns *turns = &l->answers->turns;
    for (uint32_t t = 0; t < turns->count; t++) {
        const uint32_t first = turns->at[t].first, end = first + turns->at[t].count;
        for (uint32_t i = first; i < end; i++)
            put_row(l, turns->acts[i].rank, turns->acts[i].collective, i);
        for (uint32_t i = first; i < end; i++)
            put_slot(l, i);
    }
}

static bool has_steps(const struct answers *answers, uint32_t rank)
{
    return answers->of[rank]->row_at;
}

static void note_all(struct laying *l)
{
    const struct answers *answers = l->answers;
    const struct turns *turns = &answers->turns;
    for (uint32_t i = 0; i < turns->act_count; i++)
        each_exit(l, turns->acts[i].rank, turns->acts[i].collective, i, note_last);
    for (uint32_t r = 0; r < answers->lines->count; r++)
        for (uint32_t row = 0; row < 2 && has_steps(answers, r); row++)
            each_exit(l, r, responses_from_row(answers->of[r]) + row, turns->act_count, note_last);
}

static void lay(struct answers *answers, struct arena *arena)
{
    struct arena scratch = {0};
    const uint32_t acts = answers->turns.act_count;
    struct laying l = {.answers = answers,
                       .last = arena_array(&scratch, acts, sizeof *l.last),
                       .slot = arena_array(&scratch, acts, sizeof *l.slot)};
    note_all(&l);
    lay_turns(&l);
    for (uint32_t r = 0; r < answers->lines->count; r++)
        for (uint32_t row = 0; row < 2 && has_steps(answers, r); row++)
            put_row(&l, r, responses_from_row(answers->of[r]) + row, acts);
    mem_free(l.free);
    arena_take(arena, l.bytes.at, l.bytes.len);
    answers->bytes = (const uint8_t *)l.bytes.at;
    answers->later_ns = arena_array(arena, (size_t)(l.slots + 1) * LANES, sizeof *answers->later_ns); /* [0] stays 0 */
    arena_free(&scratch);
}

struct answers *lines_answers_new(const struct lines *lines, const struct responses *const *of, struct arena *arena)
{
    struct answers *answers = arena_alloc(arena, sizeof *answers);
    *answers = (struct answers){.lines = lines,
                                .of = of,
                                .turns = turns_of(lines, arena),
                                .ranks = arena_array(arena, lines->count, sizeof *answers->ranks)};
    for (uint32_t r = 0; r < lines->count; r++)
        answers->ranks[r] =
            (struct answerer){of[r]->unit_ns, line_time_ns(lines, r, of[r]->changes_ns), of[r]->run_count, {0}};
    if (answers->turns.in_kernels)
        answers->come_ns = arena_array(arena, (size_t)answers->turns.act_count * LANES, sizeof(int64_t));
    lay(answers, arena);
    return answers;
}

/* ---- a pass ---- */

struct pass {
    const struct answers *answers;
    const struct answer_trial *trials;
    uint32_t count; /* lanes that are asked for */
    bool blends;    /* any of them */
    const uint8_t *at;
};

/* By how much earlier than recorded a term is in one lane; never. */
static int64_t earlier_ns(const struct pass *pass, uint32_t rank, const uint64_t *units, uint32_t lane)
{
    const struct answerer *of = &pass->answers->ranks[rank];
    const uint64_t own = units[of->run[lane]];
    if (!pass->blends || lane >= pass->count || !pass->trials[lane].blend)
        return own ? (int64_t)(own - 1) * of->unit_ns : never;
    const struct response_blend *blend = &pass->trials[lane].blend[rank];
    const double blended = response_blended(blend, units[blend->run], units[blend->other]);
    return blended != 0 ? (int64_t)((blended - 1) * (double)of->unit_ns) : never;
}

/* By how much later than recorded a rank comes to the next row; 0 where it does not. */
static void read_row(struct pass *pass, uint32_t rank, int64_t later_ns[LANES])
{
    const struct answerer *of = &pass->answers->ranks[rank];
    uint64_t units[RESPONSE_RUNS_MOST];
    const uint64_t terms = varint_get(&pass->at);
    for (int lane = 0; lane < LANES; lane++)
        later_ns[lane] = INT64_MIN;
    for (uint64_t i = 0; i < terms; i++) {
        const int64_t *const left_later = pass->answers->later_ns + varint_get(&pass->at) * LANES;
        for (uint32_t run = 0; run < of->runs; run++)
            units[run] = varint_get(&pass->at);
        for (int lane = 0; lane < LANES; lane++) {
            const int64_t earlier = earlier_ns(pass, rank, units, (uint32_t)lane);
            if (earlier != never)
                later_ns[lane] = larger_of(later_ns[lane], left_later[lane] - earlier);
        }
    }
    for (int lane = 0; lane < LANES; lane++)
        later_ns[lane] = later_ns[lane] == INT64_MIN ? 0 : later_ns[lane];
}

/* In the steps that are judged bytes take no time to move; what lies before is as it was. */
static bool moves_free(const struct pass *pass, const struct act *act, int64_t exit_ns, uint32_t lane)
{
    return lane < pass->count && pass->trials[lane].resource == RESOURCE_COMMUNICATION &&
           exit_ns > pass->answers->ranks[act->rank].changes_ns;
}

/* What a collective takes that waits for nobody; where bytes move at once it takes what it waited. */
static int64_t alone_ns(const struct pass *pass, const struct act *act, uint32_t lane)
{
    const struct lines *lines = pass->answers->lines;
    const int64_t exit = act->entry_ns + act->transfer_ns;
    const uint32_t meeting = lines->at[act->rank].meeting[act->collective];
    if (!moves_free(pass, act, exit, lane))
        return act->transfer_ns;
    return meeting == NO_MEETING ? 0 : larger_of(smaller_of(lines->meetings[meeting].last_ns, exit) - act->entry_ns, 0);
}

static void hold_alone(struct pass *pass, const struct act *act)
{
    int64_t later_ns[LANES];
    read_row(pass, act->rank, later_ns);
    const uint64_t slot = varint_get(&pass->at);
    for (uint32_t lane = 0; slot && lane < LANES; lane++)
        pass->answers->later_ns[slot * LANES + lane] = later_ns[lane] + alone_ns(pass, act, lane) - act->transfer_ns;
}

/* The late rank comes with the last but one. */
static bool is_awaited(const struct pass *pass, const struct turn *turn, uint32_t rank, uint32_t lane)
{
    return lane >= pass->count || pass->trials[lane].late != rank || turn->count < 2;
}

/* By how much later the last of a turn comes. */
static void read_turn(struct pass *pass, const struct turn *turn, int64_t last_later_ns[LANES])
{
    const struct turns *turns = &pass->answers->turns;
    const int64_t last_ns = pass->answers->lines->meetings[turn->meeting].last_ns;
    for (int lane = 0; lane < LANES; lane++)
        last_later_ns[lane] = INT64_MIN;
    for (uint32_t i = turn->first; i < turn->first + turn->count; i++) {
        const struct act *act = &turns->acts[i];
        int64_t later_ns[LANES];
        read_row(pass, act->rank, later_ns);
        for (uint32_t lane = 0; lane < LANES; lane++)
            if (is_awaited(pass, turn, act->rank, lane))
                last_later_ns[lane] = larger_of(last_later_ns[lane], act->entry_ns - last_ns + later_ns[lane]);
    }
}

/* Of several in one kernel when all have come. Returns whether the act is the one whose end is theirs. */
static bool come_together(const struct pass *pass, uint32_t i, int64_t last_ns, int64_t later_ns[LANES])
{
    const struct act *act = &pass->answers->turns.acts[i];
    const uint32_t exit = turns_exit_act(&pass->answers->turns, act->rank, act->collective);
    int64_t *const come_ns = pass->answers->come_ns + (size_t)exit * LANES;
    for (int lane = 0; lane < LANES; lane++) {
        come_ns[lane] = larger_of(come_ns[lane], last_ns + later_ns[lane]);
        later_ns[lane] = come_ns[lane] - last_ns;
    }
    return exit == i;
}

/* What is left of a transfer. */
static int64_t takes(const struct pass *pass, const struct turn *turn, const struct act *act, uint32_t lane)
{
    const int64_t last_ns = pass->answers->lines->meetings[turn->meeting].last_ns, transfer = act->transfer_ns;
    if (transfer <= 0 || lane >= pass->count)
        return transfer;
    if (moves_free(pass, act, last_ns + transfer, lane))
        return 0;
    const struct answer_trial *trial = &pass->trials[lane];
    return trial->transfer ? trial->transfer(trial->of, turn->meeting, transfer) : transfer;
}

/* As long after the last entry as recorded, or changed. */
static void leave(struct pass *pass, const struct turn *turn, uint32_t i, const int64_t last_later_ns[LANES])
{
    const struct answers *answers = pass->answers;
    const struct act *act = &answers->turns.acts[i];
    const int64_t last_ns = answers->lines->meetings[turn->meeting].last_ns;
    const uint64_t slot = varint_get(&pass->at);
    int64_t later_ns[LANES];
    memcpy(later_ns, last_later_ns, sizeof later_ns);
    if ((answers->come_ns && !come_together(pass, i, last_ns, later_ns)) || !slot)
        return;
    for (uint32_t lane = 0; lane < LANES; lane++)
        answers->later_ns[slot * LANES + lane] = later_ns[lane] + takes(pass, turn, act, lane) - act->transfer_ns;
}

static void hold(struct pass *pass, const struct turn *turn)
{
    int64_t last_later_ns[LANES];
    if (turn->meeting == NO_MEETING) {
        hold_alone(pass, &pass->answers->turns.acts[turn->first]);
        return;
    }
    read_turn(pass, turn, last_later_ns);
    for (uint32_t i = turn->first; i < turn->first + turn->count; i++)
        leave(pass, turn, i, last_later_ns);
}

/* ---- steps ---- */

/* By how much longer the steps of a rank take. */
static void read_steps(struct pass *pass, uint32_t rank)
{
    int64_t from_ns[LANES] = {0}, end_ns[LANES] = {0};
    if (has_steps(pass->answers, rank)) {
        read_row(pass, rank, from_ns);
        read_row(pass, rank, end_ns);
    }
    for (uint32_t lane = 0; lane < pass->count; lane++)
        pass->trials[lane].longer_ns[rank] = end_ns[lane] - from_ns[lane];
}

/* The steps of the late rank take no longer than those of the others. */
static void hurry_late(const struct answer_trial *trial, uint32_t ranks)
{
    int64_t last = INT64_MIN;
    for (uint32_t r = 0; r < ranks; r++)
        last = r == trial->late ? last : larger_of(last, trial->longer_ns[r]);
    if (trial->late < ranks && last != INT64_MIN)
        trial->longer_ns[trial->late] = smaller_of(trial->longer_ns[trial->late], last);
}

/* ---- all ---- */

uint32_t answers_run_of(const struct responses *responses, enum resource resource, bool removed)
{
    for (uint32_t run = 1; run < responses->run_count && resource != RESOURCE_NONE; run++)
        if (responses->runs[run].resource == resource && responses->runs[run].removed == removed)
            return run;
    return 0;
}

static void run_abreast(struct answers *answers, const struct answer_trial *trials, uint32_t count)
{
    struct pass pass = {answers, trials, count, false, answers->bytes};
    const uint32_t ranks = answers->lines->count;
    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t lane = 0; lane < count; lane++)
            answers->ranks[r].run[lane] =
                (uint8_t)answers_run_of(answers->of[r], trials[lane].resource, trials[lane].removed);
    for (uint32_t lane = 0; lane < count; lane++)
        pass.blends |= trials[lane].blend != NULL;
    for (size_t i = 0; answers->come_ns && i < (size_t)answers->turns.act_count * LANES; i++)
        answers->come_ns[i] = INT64_MIN;
    for (uint32_t i = 0; i < answers->turns.count; i++)
        hold(&pass, &answers->turns.at[i]);
    for (uint32_t r = 0; r < ranks; r++)
        read_steps(&pass, r);
    for (uint32_t lane = 0; lane < count; lane++)
        hurry_late(&trials[lane], ranks);
}

void lines_answers_run(struct answers *answers, const struct answer_trial *trials, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += LANES)
        run_abreast(answers, trials + i, count - i < LANES ? count - i : LANES);
}
