/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random jobs, told exactly and as the last careful level tells them: of all ranks waits, what they caused, lateness and what
 * it costs are within a hundredth. No entry is off by more than it may be, order stays, and what is rounded is written and read.
 */
#include "unit/cmocka_first.h"

#include <stdlib.h>

#include "base/order.h"
#include "breakdown/strip/strip_pieces.h"
#include "sketch/numbers/coarse.h"
#include "sketch/numbers/rank_sketch.h"
#include "sketch/numbers/strip_sketch.h"

enum { JOBS = 1000, MOST_RANKS = 8, COLLECTIVES = 400, PLACES = 25, STEP = 100 };

struct job {
    struct arena arena;
    uint64_t random;
    uint32_t ranks;
    struct rank_numbers at[MOST_RANKS];
    const struct rank_numbers *all[MOST_RANKS];
    int64_t now_ns[MOST_RANKS];
    int64_t compute_ns[PLACES], transfer_ns[PLACES], jitter, late_ns, late_every;
    uint32_t late;
};

static int64_t below(struct job *job, int64_t most)
{
    job->random = job->random * 6364136223846793005u + 1442695040888963407u;
    return most > 0 ? (int64_t)((job->random >> 33) % (uint64_t)most) : 0;
}

/* A number of any size up to 2^most: small ones are as likely as large ones. */
static int64_t any_size(struct job *job, int64_t least, int64_t most)
{
    const int64_t bits = least + below(job, most - least);
    return ((int64_t)1 << bits) + below(job, (int64_t)1 << bits);
}

/* Layers of 2 us to 4 ms and transfers of 4 us to 2 ms, in an order that comes back each step; noise of 1/4 to 1/256 of
 * them; one rank late now and then by 8 us, which is a tie, to 2 ms. */
static void plan(struct job *job, uint64_t seed)
{
    *job = (struct job){.random = seed * 2654435761u + 12345};
    for (int i = 0; i < 8; i++)
        below(job, 2);
    job->ranks = 2 + (uint32_t)below(job, MOST_RANKS - 1);
    for (int place = 0; place < PLACES; place++) {
        job->compute_ns[place] = any_size(job, 11, 21);
        job->transfer_ns[place] = any_size(job, 12, 20);
    }
    job->jitter = 4 << below(job, 7);
    job->late = (uint32_t)below(job, job->ranks);
    job->late_ns = any_size(job, 13, 20);
    job->late_every = 1 + below(job, 60);
}

static void make_rank(struct job *job, uint32_t rank)
{
    struct rank_numbers *out = &job->at[rank];
    *out = (struct rank_numbers){.rank = rank,
                                 .world_size = job->ranks,
                                 .path = S(""),
                                 .host = S("h"),
                                 .device = true,
                                 .steps = COLLECTIVES / STEP,
                                 .dated = true};
    out->collectives = arena_array(&job->arena, COLLECTIVES, sizeof *out->collectives);
    out->collective_count = COLLECTIVES;
    out->groups = arena_array(&job->arena, 1, sizeof *out->groups);
    out->groups[0] = (struct collective_group){S("0"), job->ranks, 77, S("")};
    job->all[rank] = out;
}

static void meet(struct job *job, uint32_t i, struct rank_before *before[MOST_RANKS])
{
    const uint32_t place = i % PLACES;
    int64_t entry[MOST_RANKS], last = 0;
    for (uint32_t r = 0; r < job->ranks; r++) {
        int64_t work = job->compute_ns[place] + below(job, job->compute_ns[place] / job->jitter);
        work += r == job->late && i % job->late_every == 0 ? job->late_ns : 0;
        const int64_t gap = 700 + below(job, 900);
        before[r][i].ns[SINCE_COLLECTIVE][TIME_COMPUTE] = work;
        before[r][i].ns[SINCE_COLLECTIVE][TIME_HOST] = gap;
        entry[r] = job->now_ns[r] + work + gap;
        last = larger_of(last, entry[r]);
    }
    const int64_t end = last + job->transfer_ns[place] + below(job, job->transfer_ns[place] / job->jitter);
    for (uint32_t r = 0; r < job->ranks; r++) {
        job->now_ns[r] = end + below(job, 700);
        job->at[r].collectives[i] = (struct rank_collective){.of = {.call_ns = entry[r],
                                                                    .start_ns = entry[r],
                                                                    .dur_ns = job->now_ns[r] - entry[r],
                                                                    .seq = i,
                                                                    .in_elements = job->transfer_ns[place],
                                                                    .out_elements = job->transfer_ns[place],
                                                                    .source = -1,
                                                                    .destination = -1,
                                                                    .row = 2 * i,
                                                                    .call = ROW_NONE,
                                                                    .step = i / STEP,
                                                                    .element_bytes = 4},
                                                             .step = i / STEP,
                                                             .after = i ? i - 1 : RANK_FIRST};
    }
}

static void make_job(struct job *job, uint64_t seed)
{
    struct rank_before *before[MOST_RANKS];
    plan(job, seed);
    for (uint32_t r = 0; r < job->ranks; r++) {
        make_rank(job, r);
        before[r] = arena_array(&job->arena, COLLECTIVES, sizeof **before);
    }
    for (uint32_t i = 0; i < COLLECTIVES; i++)
        meet(job, i, before);
    for (uint32_t r = 0; r < job->ranks; r++)
        job->at[r].befores = rank_befores_of(before[r], COLLECTIVES, &job->arena);
}

static uint32_t all_ranks, at_the_tie;

static const struct strip no_strip = {.names = (str[]){{"", 0}}, .name_count = 1, .pieces = (const uint8_t *)""};

/* Of a rank that is late by the tie to the nanosecond another rounding says so, or does not: what that is worth. */
enum { TIE_NS = 20000 + 64 };

static int64_t on_the_tie(const struct ranks *exact, const struct ranks *coarse, uint32_t r)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < exact->meeting_count; i++) {
        const struct meeting *a = &exact->meetings[i], *b = &coarse->meetings[i];
        for (uint32_t k = a->first; k < a->first + a->count; k++)
            if (exact->members[k].rank == r)
                ns += (exact->members[k].late_ns > 0) != (coarse->members[k].late_ns > 0) ||
                              (a->last_rank == r) != (b->last_rank == r)
                          ? TIE_NS
                          : 0;
    }
    return ns;
}

/* Within a hundredth, but for the nanoseconds of a few entries where it is next to nothing. */
static void assert_about(int64_t got, int64_t wanted, int64_t more, const char *what)
{
    if (llabs(got - wanted) > wanted / 100 + 200 + more)
        fail_msg("%s is %lld, not %lld", what, (long long)got, (long long)wanted);
}

static void compare(const struct ranks *exact, const struct ranks *coarse)
{
    assert_int_equal(coarse->meeting_count, exact->meeting_count);
    for (uint32_t r = 0; r < exact->count; r++) {
        const struct rank_account *a = &exact->accounts[r], *b = &coarse->accounts[r];
        const int64_t tie = on_the_tie(exact, coarse, r);
        assert_int_equal(b->matched, a->matched);
        assert_about(b->waited_ns, a->waited_ns, 0, "waited");
        assert_about(b->waiting_ns, a->waiting_ns, 0, "waiting");
        assert_about(b->caused_ns, a->caused_ns, 0, "caused");
        assert_about(b->late_ns, a->late_ns, tie, "late");
        assert_about(b->saving_ns, a->saving_ns, tie, "saving");
        at_the_tie += tie > 0;
        all_ranks++;
    }
}

static void check_entries(const struct rank_numbers *exact, const struct rank_numbers *coarse)
{
    const struct coarse_level *level = &coarse_levels[COARSE_CAREFUL];
    for (uint32_t i = 0; i < COLLECTIVES; i++) {
        const struct collective *a = &exact->collectives[i].of, *b = &coarse->collectives[i].of;
        const int64_t off = llabs(a->call_ns - b->call_ns), most = (int64_t)1 << (level->entry_bits - 1);
        assert_true(off <= most && off <= a->dur_ns >> level->digits);
        assert_true(!i || b->call_ns >= coarse->collectives[i - 1].of.call_ns);
        assert_true(b->dur_ns >= 0);
    }
}

static void waits_and_lateness_of_random_jobs_are_within_a_hundredth(void **state)
{
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct job job;
        struct coarse_rank coarse[MOST_RANKS];
        const struct rank_numbers *told[MOST_RANKS];
        struct ranks exact, rounded;
        make_job(&job, seed);
        for (uint32_t r = 0; r < job.ranks; r++) {
            coarse[r] = coarse_rank(&job.at[r], &no_strip, &coarse_levels[COARSE_CAREFUL], &job.arena);
            told[r] = &coarse[r].numbers;
            check_entries(&job.at[r], told[r]);
        }
        ranks_merge(job.all, job.ranks, &job.arena, &exact);
        ranks_merge(told, job.ranks, &job.arena, &rounded);
        compare(&exact, &rounded);
        arena_free(&job.arena);
    }
    assert_in_range(at_the_tie, 0, all_ranks / 25); /* of 400 collectives each */
}

static void all_levels_are_written_and_read(void **state)
{
    struct job job;
    make_job(&job, 3);
    for (uint32_t level = 0; level < COARSE_LEVELS; level++) {
        const struct coarse_rank coarse = coarse_rank(&job.at[0], &no_strip, &coarse_levels[level], &job.arena);
        struct sketch sketch = {.trace.path = S("")}, again = {.trace.path = S("")};
        struct rank_numbers got;
        rank_sketch_write(&coarse.numbers, &job.arena, &sketch);
        assert_true(rank_sketch_read(&sketch, 0, &job.arena, &got, NULL));
        for (uint32_t i = 0; i < COLLECTIVES; i++) {
            assert_int_equal(got.collectives[i].of.call_ns, coarse.numbers.collectives[i].of.call_ns);
            assert_int_equal(got.collectives[i].of.dur_ns, coarse.numbers.collectives[i].of.dur_ns);
            const struct rank_before a = rank_before(&got.befores, i), b = rank_before(&coarse.numbers.befores, i);
            assert_memory_equal(&a, &b, sizeof a);
        }
        assert_int_equal(got.rounding.rounded, coarse.numbers.rounding.rounded);
        rank_sketch_write(&got, &job.arena, &again);
        assert_true(str_eq(sketch.sections[SKETCH_RANKS], again.sections[SKETCH_RANKS]));
    }
    arena_free(&job.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_and_lateness_of_random_jobs_are_within_a_hundredth),
        cmocka_unit_test(all_levels_are_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
