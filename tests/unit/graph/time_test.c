/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of time: what holds for every net, every change and every job of nets. */
#include "random_net.h"

#include "time/job.h"
#include "time/path.h"

/* ---- nets at random ---- */

enum { NODES = 60, EDGES = 200 };

/* Lanes whose nodes may overlap, and edges from anywhere before. */
static void fill(struct random_net *r, bool recorded)
{
    uint32_t last[LANES] = {NODE_NONE, NODE_NONE, NODE_NONE};
    int64_t now = 0;
    *r = (struct random_net){.net = {.count = NODES, .work = r->work, .before = r->before, .kind = r->kind}};
    r->net.start = recorded ? r->start : NULL;
    for (uint32_t node = 0; node < NODES; node++) {
        const uint32_t lane = below(LANES);
        now += below(20);
        r->start[node] = now;
        r->work[node] = below(4) ? below(60) : 0;
        r->kind[node] = (uint8_t)below(KINDS_USED);
        r->before[node] = last[lane];
        last[lane] = node;
        for (uint32_t i = below(4); node && i-- && r->net.edge_count < EDGES;)
            r->edges[r->net.edge_count++] = (struct edge){below(node), node, 1 + below(KINDS_USED)};
    }
    for (uint32_t edge = 0; edge < EDGE_KINDS_MOST; edge++)
        floors_at_random(&r->net, edge, 10);
    r->net.edges = r->edges;
    r->net.early = below(2) ? 1u << 2 : 0;
    assert_true(net_check(&r->net));
}

/* What shrinks: works to a share each, edges that fall away, nodes that go. */
struct shrinking {
    const struct net *net;
    uint32_t eighths[NODES];
    bool gone[NODES], dropped[KINDS_USED + 1];
};

static int64_t shrunk(const void *context, uint32_t node)
{
    const struct shrinking *s = context;
    return s->net->work[node] * s->eighths[node] / 8;
}

static bool still_holds(const void *context, const struct edge *edge)
{
    return !((const struct shrinking *)context)->dropped[edge->kind];
}

static bool is_gone(const void *context, uint32_t node)
{
    return ((const struct shrinking *)context)->gone[node];
}

static struct change change_at_random(struct shrinking *s, const struct net *net)
{
    *s = (struct shrinking){.net = net};
    for (uint32_t node = 0; node < NODES; node++) {
        s->eighths[node] = below(9);
        s->gone[node] = !below(8);
    }
    for (uint32_t kind = 1; kind <= KINDS_USED; kind++)
        s->dropped[kind] = !below(4);
    return (struct change){
        .context = s, .work = shrunk, .holds = still_holds, .gone = is_gone, .from = below(2) ? below(400) : 0};
}

static void nothing_changed_gives_back_the_recording(void **state)
{
    struct random_net r;
    for (int round = 0; round < 500; round++) {
        struct arena scratch = {0};
        fill(&r, true);
        const struct schedule schedule = net_run(&r.net, NULL, &scratch);
        assert_memory_equal(schedule.start, r.start, NODES * sizeof *r.start);
        for (uint32_t node = 0; node < NODES; node++)
            assert_int_equal(schedule.end[node], net_end(&r.net, node));
        arena_free(&scratch);
    }
}

static void check_shrinks(const struct net *net, const struct schedule *as_is, const struct schedule *then,
                          int64_t from)
{
    for (uint32_t node = 0; node < NODES; node++) {
        assert_true(then->start[node] <= as_is->start[node] && then->end[node] <= as_is->end[node]);
        assert_true(then->start[node] <= then->end[node]);
        if (net->start)
            assert_true(then->start[node] >= (net->start[node] < from ? net->start[node] : from));
    }
    assert_true(then->span <= as_is->span);
}

static void taking_away_never_makes_anything_later(void **state)
{
    struct random_net r;
    struct shrinking s;
    for (int round = 0; round < 3000; round++) {
        struct arena scratch = {0};
        fill(&r, round % 3);
        const struct change change = change_at_random(&s, &r.net);
        const struct schedule as_is = net_run(&r.net, NULL, &scratch), then = net_run(&r.net, &change, &scratch);
        check_shrinks(&r.net, &as_is, &then, change.from);
        arena_free(&scratch);
    }
}

/* Of two changes the one that takes more away. */
static void taking_more_away_never_makes_anything_later(void **state)
{
    struct random_net r;
    struct shrinking less, more;
    for (int round = 0; round < 2000; round++) {
        struct arena scratch = {0};
        fill(&r, round % 3);
        struct change change = change_at_random(&less, &r.net), further = change;
        more = less;
        for (uint32_t node = 0; node < NODES; node++)
            more.eighths[node] = below(less.eighths[node] + 1);
        further.context = &more;
        const struct schedule one = net_run(&r.net, &change, &scratch), two = net_run(&r.net, &further, &scratch);
        check_shrinks(&r.net, &one, &two, INT64_MIN);
        arena_free(&scratch);
    }
}

/* ---- small nets, seen whole ---- */

static int64_t halved(const void *context, uint32_t node)
{
    return ((const struct net *)context)->work[node] / 2;
}

/* A call of 40 whose kernel began 10 after it did: at half the time of the call it begins 5 after. */
static void work_begun_inside_its_cause_keeps_its_share(void **state)
{
    static const int64_t start[] = {0, 10}, work[] = {40, 100};
    static const uint32_t before[] = {NODE_NONE, NODE_NONE};
    static const uint8_t kind[2];
    static const struct edge edge = {0, 1, 1};
    struct net net = {
        .count = 2, .start = start, .work = work, .before = before, .kind = kind, .edges = &edge, .edge_count = 1};
    struct arena scratch = {0};
    struct change change = {.context = &net, .work = halved};
    const struct schedule then = net_run(&net, &change, &scratch);
    assert_int_equal(then.start[1], 5);
    assert_int_equal(then.end[1], 55);
    change.from = 20; /* what had begun by then keeps its time, and the rest of its work is halved */
    const struct schedule later = net_run(&net, &change, &scratch);
    assert_int_equal(later.start[1], 10);
    assert_int_equal(later.end[0], 30);
    assert_int_equal(later.end[1], 10 + 10 + 45);
    arena_free(&scratch);
}

static void sums_stop_at_the_ends(void **state)
{
    static const int64_t work[] = {INT64_MAX, INT64_MAX};
    static const uint32_t before[] = {NODE_NONE, 0};
    static const uint8_t kind[2];
    const struct net net = {.count = 2, .work = work, .before = before, .kind = kind};
    struct arena scratch = {0};
    assert_int_equal(net_run(&net, NULL, &scratch).span, INT64_MAX);
    arena_free(&scratch);
}

/* ---- jobs ---- */

/* Ranks whose clocks differ, and meet at their last node: the one that comes early waits, by its own clock. */
static void nets_meet_whatever_their_clocks(void **state)
{
    static const int64_t start[2][2] = {{0, 30}, {1000, 1090}}, work[2][2] = {{30, 80}, {90, 20}};
    static const uint32_t before[] = {NODE_NONE, 0};
    static const uint8_t kind[2];
    struct net nets[2];
    struct change changes[2];
    for (int i = 0; i < 2; i++)
        nets[i] = (struct net){.count = 2, .start = start[i], .work = work[i], .before = before, .kind = kind};
    static const struct member members[] = {{0, 1}, {1, 1}};
    static const struct meeting meeting = {0, 2};
    struct job job = {.nets = nets, .count = 2, .members = members, .meetings = &meeting, .meeting_count = 1};
    struct arena scratch = {0};
    struct schedule schedules[2];
    assert_true(job_run(&job, 0, &scratch, schedules, NULL));
    assert_int_equal(schedules[0].end[1], 110);
    assert_int_equal(schedules[1].end[1], 1110);
    changes[0] = (struct change){0};
    changes[1] = (struct change){.context = &nets[1], .work = halved}; /* comes 45 earlier, the transfer takes 10 */
    job.changes = changes;
    assert_true(job_run(&job, 0, &scratch, schedules, NULL));
    assert_int_equal(schedules[1].end[1], 1000 + 45 + 10);
    assert_int_equal(schedules[0].end[1], 110 - 45 - 10);
    arena_free(&scratch);
}

static void nets_that_wait_for_each_other_in_a_circle_are_told(void **state)
{
    static const int64_t work[] = {10, 10};
    static const uint32_t before[] = {NODE_NONE, 0};
    static const uint8_t kind[2];
    struct net nets[2];
    for (int i = 0; i < 2; i++)
        nets[i] = (struct net){.count = 2, .work = work, .before = before, .kind = kind};
    static const struct member members[] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}};
    static const struct meeting meetings[] = {{0, 2}, {2, 2}};
    const struct job job = {.nets = nets, .count = 2, .members = members, .meetings = meetings, .meeting_count = 2};
    struct arena scratch = {0};
    struct schedule schedules[2];
    uint32_t stuck[2];
    assert_false(job_run(&job, 0, &scratch, schedules, stuck));
    assert_int_equal(stuck[0], 0);
    assert_int_equal(stuck[1], 0);
    arena_free(&scratch);
}

/* A stream that needs 100 a pass behind a host that needs 10: from the second pass on it is the stream that counts. */
static void what_is_left_of_a_pass_is_carried_into_the_next(void **state)
{
    static const int64_t work[] = {10, 100};
    static const uint32_t before[] = {NODE_NONE, NODE_NONE};
    static const uint8_t kind[2];
    static const struct edge edge = {0, 1, 1};
    static const struct carry carries[] = {{{0, 0, EDGE_LANE}, 1}, {{1, 1, EDGE_LANE}, 1}};
    const struct net net = {.count = 2,
                            .work = work,
                            .before = before,
                            .kind = kind,
                            .edges = &edge,
                            .edge_count = 1,
                            .carries = carries,
                            .carry_count = 2};
    struct job job = {.nets = &net, .count = 1};
    struct arena scratch = {0};
    struct schedule pass;
    job.let_go = job_room(&job, 3, &scratch);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(job_run(&job, i, &scratch, &pass, NULL));
        assert_int_equal(pass.end[0], 10 * (i + 1));
        assert_int_equal(pass.end[1], 110 + 100 * i);
    }
    arena_free(&scratch);
}

/* ---- paths ---- */

struct tiles {
    int64_t next_end, worked;
};

static void take_tile(void *context, const struct path_part *part)
{
    struct tiles *tiles = context;
    assert_int_equal(part->end, tiles->next_end);
    assert_true(part->start < part->end);
    tiles->next_end = part->start;
    tiles->worked += part->waiting ? 0 : part->end - part->start;
}

static void paths_tile_the_time(void **state)
{
    struct random_net r;
    struct shrinking s;
    for (int round = 0; round < 500; round++) {
        struct arena scratch = {0};
        fill(&r, true);
        const struct change change = change_at_random(&s, &r.net);
        const struct schedule then = net_run(&r.net, &change, &scratch);
        const struct schedule *const schedules[] = {NULL, &then};
        for (int i = 0; i < 2; i++) {
            struct tiles tiles = {i ? then.end[NODES - 1] : net_end(&r.net, NODES - 1), 0};
            net_path(&r.net, schedules[i], NODES - 1, NULL, NULL, take_tile, &tiles);
            assert_int_equal(tiles.next_end, 0);
        }
        arena_free(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed_gives_back_the_recording),
        cmocka_unit_test(taking_away_never_makes_anything_later),
        cmocka_unit_test(taking_more_away_never_makes_anything_later),
        cmocka_unit_test(work_begun_inside_its_cause_keeps_its_share),
        cmocka_unit_test(sums_stop_at_the_ends),
        cmocka_unit_test(nets_meet_whatever_their_clocks),
        cmocka_unit_test(nets_that_wait_for_each_other_in_a_circle_are_told),
        cmocka_unit_test(what_is_left_of_a_pass_is_carried_into_the_next),
        cmocka_unit_test(paths_tile_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
