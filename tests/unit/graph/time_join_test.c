/* SPDX-License-Identifier: Apache-2.0 */
/* A joined net runs as the whole one does, and several changes side by side as each alone. */
#include "random_net.h"

#include <string.h>

#include "time/abreast.h"
#include "time/join.h"

enum { NODES = 80, EDGES = 60, APART = 2 };

static void fill(struct random_net *r)
{
    lanes_at_random(r, NODES, EDGES, 3);
    for (uint32_t edge = 0; edge < EDGE_KINDS_MOST; edge++)
        floors_at_random(&r->net, edge, 10);
    r->net.early = below(2) ? 1u << 2 : 0;
    assert_true(net_check(&r->net));
}

struct changed {
    int64_t work[NODES]; /* of the net that is run */
    bool dropped[KINDS_USED + 1];
};

static int64_t work_now(const void *context, uint32_t node)
{
    return ((const struct changed *)context)->work[node];
}

static bool still_holds(const void *context, const struct edge *edge)
{
    return !((const struct changed *)context)->dropped[edge->kind];
}

static struct change change_of(const struct changed *changed, int64_t from, bool prompt)
{
    return (struct change){.context = changed, .work = work_now, .holds = still_holds, .from = from, .prompt = prompt};
}

/* The same for the joined net: a work is what those of its nodes come to. */
static struct changed add_up(const struct changed *changed, const struct joined *joined, uint32_t until)
{
    struct changed sums = {0};
    memcpy(sums.dropped, changed->dropped, sizeof sums.dropped);
    for (uint32_t node = 0; node < until; node++)
        sums.work[joined->of[node]] += changed->work[node];
    return sums;
}

static void check_ends(const struct random_net *r, const struct joined *joined, uint32_t until,
                       const struct schedule *whole, const struct schedule *small)
{
    int64_t end[NODES] = {0};
    bool begun[NODES] = {0};
    for (uint32_t node = 0; node < until; node++) {
        const uint32_t at = joined->of[node];
        if (!begun[at]) {
            assert_int_equal(small->start[at], whole->start[node]);
            assert_int_equal(joined->net.start[at], r->start[node]);
        }
        begun[at] = true;
        end[at] = whole->end[node];
    }
    for (uint32_t at = 0; at < joined->net.count; at++)
        assert_int_equal(small->end[at], end[at]);
}

static void check_until(const struct joined *joined, uint32_t until)
{
    uint32_t begun = 0;
    for (uint32_t node = 0; node < until; node++)
        begun = joined->of[node] >= begun ? joined->of[node] + 1 : begun;
    assert_int_equal(joined_until(joined, until), begun);
}

static void a_joined_net_gives_the_same_times(void **state)
{
    struct random_net r;
    uint64_t joined_nodes = 0;
    for (int round = 0; round < 3000; round++) {
        struct arena scratch = {0};
        fill(&r);
        struct changed changed = {0};
        for (uint32_t node = 0; node < NODES; node++)
            changed.work[node] = below(3) ? r.work[node] : r.work[node] * below(9) / 8;
        for (uint32_t kind = 1; kind <= KINDS_USED; kind++)
            changed.dropped[kind] = !below(4);
        const int64_t from[2] = {below(500), below(500)};
        const uint32_t apart[APART] = {below(NODES), NODE_NONE};
        const struct joining joining = {.until = below(4) ? NODES : below(NODES),
                                        .kinds = below(2) ? 1u << 2 : 0,
                                        .apart = apart,
                                        .apart_count = APART,
                                        .from = from,
                                        .from_count = 2};
        const struct joined joined = net_join(&r.net, &joining, &scratch);
        assert_true(net_check(&joined.net) && joined_until(&joined, joining.until) == joined.net.count);
        check_until(&joined, below(joining.until + 1));
        joined_nodes += joining.until - joined.net.count;
        const struct changed sums = add_up(&changed, &joined, joining.until);
        const bool prompt = !below(4);
        const struct change change = change_of(&changed, from[round % 2], prompt),
                            change_small = change_of(&sums, from[round % 2], prompt);
        const struct schedule whole = net_run_until(&r.net, &change, joining.until, (struct schedule){0}, &scratch);
        const struct schedule small = net_run(&joined.net, &change_small, &scratch);
        check_ends(&r, &joined, joining.until, &whole, &small);
        arena_free(&scratch);
    }
    assert_true(joined_nodes > 30000);
}

/* A change of one of the runs side by side. */
struct single {
    const struct abreast *abreast;
    const int64_t *works; /* [node * ABREAST + run] */
    int run;
};

enum { FREED_KIND = 3 };

static int64_t single_work(const void *context, uint32_t node)
{
    const struct single *single = context;
    return single->works[node * ABREAST + (uint32_t)single->run];
}

static bool single_holds(const void *context, const struct edge *edge)
{
    const struct single *single = context;
    return edge->kind != FREED_KIND || !(single->abreast->freed[edge->to] >> single->run & 1);
}

static void check_single(const struct single *single, int64_t from, bool prompt, struct arena *scratch)
{
    const struct abreast *abreast = single->abreast;
    const struct change change = {
        .context = single, .work = single_work, .holds = single_holds, .from = from, .prompt = prompt};
    const struct schedule alone = net_run(abreast->net, &change, scratch);
    for (uint32_t node = 0; node < abreast->net->count; node++) {
        assert_int_equal(abreast->start[node * ABREAST + (uint32_t)single->run], alone.start[node]);
        assert_int_equal(abreast->end[node * ABREAST + (uint32_t)single->run], alone.end[node]);
    }
}

static void changes_side_by_side_are_as_each_alone(void **state)
{
    struct random_net r;
    for (int round = 0; round < 1000; round++) {
        struct arena scratch = {0};
        int64_t works[NODES * ABREAST];
        uint8_t freed[NODES];
        fill(&r);
        r.net.arrival = net_arrivals(&r.net, &scratch);
        struct abreast abreast = abreast_open(&r.net, FREED_KIND, &scratch);
        for (uint32_t node = 0; node < NODES; node++) {
            freed[node] = below(2) ? (uint8_t)below(1 << ABREAST) : 0;
            for (uint32_t run = 0; run < ABREAST; run++)
                works[node * ABREAST + run] = below(3) ? r.work[node] : r.work[node] * below(9) / 8;
        }
        abreast.freed = freed;
        const int64_t from = below(500);
        const uint32_t prompt = below(1 << ABREAST);
        memcpy(abreast.end, works, sizeof works);
        abreast_run(&abreast, NODES, from, prompt);
        for (int run = 0; run < ABREAST; run++)
            check_single(&(struct single){&abreast, works, run}, from, prompt >> run & 1, &scratch);
        arena_free(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joined_net_gives_the_same_times),
        cmocka_unit_test(changes_side_by_side_are_as_each_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
