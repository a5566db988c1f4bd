/* SPDX-License-Identifier: Apache-2.0 */
/* A net whose waits have nodes of their own runs as the whole, and ranks meet in the midst of what they do. */
#include "random_net.h"

#include "time/job.h"
#include "time/split.h"

enum { NODES = 60, EDGES = 40, WAITS = 12, ENTER = EDGE_KINDS_MOST - 1, LEAVE = 1 };

struct waiting_net {
    struct random_net at;
    struct net_wait waits[WAITS];
    uint32_t wait_count;
};

/* Each of a node that comes early, in another one, which may hold several. */
static void add_waits(struct waiting_net *r)
{
    for (uint32_t tries = 0; tries < 40 && r->wait_count < WAITS; tries++) {
        const uint32_t holds = below(NODES), enters = below(NODES);
        if (r->at.work[holds] < 2)
            continue;
        const int64_t let_go = r->at.start[holds] + 1 + below((uint32_t)r->at.work[holds]);
        if (r->at.start[enters] < let_go)
            r->waits[r->wait_count++] =
                (struct net_wait){enters, below(4) ? holds : NODE_NONE, let_go - (below(2) ? 0 : below(10)), let_go};
    }
}

static void fill(struct waiting_net *r)
{
    *r = (struct waiting_net){0};
    lanes_at_random(&r->at, NODES, EDGES, 3);
    floors_at_random(&r->at.net, LEAVE, 5);
    assert_true(net_check(&r->at.net));
    add_waits(r);
}

static void a_split_net_gives_back_the_recording(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct arena arena = {0};
        struct waiting_net r;
        fill(&r);
        const struct split split = net_split(&r.at.net, r.waits, r.wait_count, ENTER, LEAVE, &arena);
        assert_true(net_check(&split.net));
        const struct schedule parts = net_run(&split.net, NULL, &arena);
        for (uint32_t node = 0; node < split.net.count; node++)
            assert_int_equal(parts.start[node], split.net.start[node]);
        const struct schedule whole = split_whole(&split, NODES, &parts, &arena);
        for (uint32_t node = 0; node < NODES; node++) {
            assert_int_equal(whole.start[node], r.at.start[node]);
            assert_int_equal(whole.end[node], r.at.start[node] + r.at.work[node]);
        }
        arena_free(&arena);
    }
}

/* One computes 80 and sends; the other receives at once, waits in the stretch after the call, and computes 40. */
enum { SENDS, RECEIVES, RANKS };
static const int64_t starts[RANKS][3] = {{0, 80, 90}, {1000, 1010, 1020}};
static const int64_t works[RANKS][3] = {{80, 10, 50}, {10, 10, 115}};

struct half {
    const struct split *split;
    uint32_t whole; /* the node of the whole that takes half */
};

static int64_t halved(const void *context, uint32_t node)
{
    const struct half *half = context;
    const int64_t work = half->split->net.work[node];
    return half->split->of[node] == half->whole ? work / 2 : work;
}

static void who_waits_for_a_message_gains_what_the_sender_does(void **state)
{
    (void)state;
    static const uint32_t before[] = {NODE_NONE, 0, 1};
    static const uint8_t kind[3];
    static const struct net_wait waits[RANKS] = {{1, NODE_NONE, 95, 95}, {1, 2, 1095, 1095}};
    static const struct meeting meeting = {0, RANKS};
    struct arena arena = {0};
    struct net nets[RANKS];
    struct split splits[RANKS];
    struct half halves[RANKS];
    struct change changes[RANKS];
    struct member members[RANKS];
    struct schedule schedules[RANKS];
    for (uint32_t r = 0; r < RANKS; r++) {
        const struct net net = {.count = 3, .start = starts[r], .work = works[r], .before = before, .kind = kind};
        splits[r] = net_split(&net, &waits[r], 1, ENTER, LEAVE, &arena);
        nets[r] = splits[r].net;
        members[r] = (struct member){r, splits[r].meeting[0]};
        halves[r] = (struct half){&splits[r], r == SENDS ? 0 : 2};
        changes[r] = (struct change){.context = &halves[r], .work = halved};
    }
    const struct job job = {
        .nets = nets, .changes = changes, .count = RANKS, .members = members, .meetings = &meeting, .meeting_count = 1};
    assert_true(job_run(&job, 0, &arena, schedules, NULL));
    const struct schedule sends = split_whole(&splits[SENDS], 3, &schedules[SENDS], &arena);
    const struct schedule receives = split_whole(&splits[RECEIVES], 3, &schedules[RECEIVES], &arena);
    assert_int_equal(sends.end[2], 140 - 40);          /* it waits for nobody */
    assert_int_equal(receives.start[2], 1020);         /* it comes as it did, */
    assert_int_equal(receives.end[2], 1095 - 40 + 20); /* is let go 40 earlier, and has half to do then */
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_split_net_gives_back_the_recording),
        cmocka_unit_test(who_waits_for_a_message_gains_what_the_sender_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
