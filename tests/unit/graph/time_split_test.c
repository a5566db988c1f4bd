/* SPDX-License-Identifier: Apache-2.0 */
/* A net whose waits have nodes of their own runs as the whole, and ranks meet in the midst of what they do. */
#include "unit/cmocka_first.h"

#include "time/job.h"
#include "time/split.h"

static uint64_t state_of_random = 1;

static uint32_t below(uint32_t limit)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_random >> 33) % limit;
}

enum { NODES = 60, EDGES = 40, WAITS = 12, LANES = 3, ENTER = EDGE_KINDS_MOST - 1, LEAVE = 1 };

struct random_net {
    int64_t start[NODES], work[NODES];
    uint32_t before[NODES];
    uint8_t kind[NODES];
    struct edge edges[EDGES];
    struct net net;
    struct net_wait waits[WAITS];
    uint32_t wait_count;
};

static void add_nodes(struct random_net *r)
{
    uint32_t last[LANES] = {NODE_NONE, NODE_NONE, NODE_NONE};
    int64_t free_at[LANES] = {0, 3, 5};
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t lane = 0;
        for (uint32_t i = 1; i < LANES; i++)
            lane = free_at[i] < free_at[lane] ? i : lane;
        r->start[node] = free_at[lane];
        r->work[node] = below(6) ? below(40) : 0;
        r->before[node] = last[lane];
        last[lane] = node;
        free_at[lane] += r->work[node] + (below(4) ? 0 : below(15));
        if (node && !below(3) && r->net.edge_count < EDGES)
            r->edges[r->net.edge_count++] = (struct edge){below(node), node, 1 + below(3)};
    }
}

/* Each of a node that comes early, in another one, which may hold several. */
static void add_waits(struct random_net *r)
{
    for (uint32_t tries = 0; tries < 40 && r->wait_count < WAITS; tries++) {
        const uint32_t holds = below(NODES), enters = below(NODES);
        if (r->work[holds] < 2)
            continue;
        const int64_t let_go = r->start[holds] + 1 + below((uint32_t)r->work[holds]);
        if (r->start[enters] < let_go)
            r->waits[r->wait_count++] =
                (struct net_wait){enters, below(4) ? holds : NODE_NONE, let_go - (below(2) ? 0 : below(10)), let_go};
    }
}

static void fill(struct random_net *r)
{
    *r = (struct random_net){
        .net = {.count = NODES, .start = r->start, .work = r->work, .before = r->before, .kind = r->kind}};
    add_nodes(r);
    r->net.floor[0][LEAVE] = below(5);
    r->net.edges = r->edges;
    assert_true(net_check(&r->net));
    add_waits(r);
}

static void a_split_net_gives_back_the_recording(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct arena arena = {0};
        struct random_net r;
        fill(&r);
        const struct split split = net_split(&r.net, r.waits, r.wait_count, ENTER, LEAVE, &arena);
        assert_true(net_check(&split.net));
        const struct schedule parts = net_run(&split.net, NULL, &arena);
        for (uint32_t node = 0; node < split.net.count; node++)
            assert_int_equal(parts.start[node], split.net.start[node]);
        const struct schedule whole = split_whole(&split, NODES, &parts, &arena);
        for (uint32_t node = 0; node < NODES; node++) {
            assert_int_equal(whole.start[node], r.start[node]);
            assert_int_equal(whole.end[node], r.start[node] + r.work[node]);
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
