/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of a net's meetings give what a run of the net gives, whenever the others let it go. */
#include "random_net.h"

#include <string.h>

#include "time/response.h"
#include "time/run_private.h"

enum { NODES = 90, EDGES = 60, EARLY = 2, MEETINGS_MOST = 40, LAST = 4 };

struct meeting_net {
    struct random_net at;
    struct response_entry entries[MEETINGS_MOST];
    struct response_exit exits[MEETINGS_MOST];
    struct response_mark marks[LAST];
    struct response_ask ask;
    bool meets[NODES];
};

static void fill(struct meeting_net *r)
{
    *r = (struct meeting_net){0};
    lanes_at_random(&r->at, NODES, EDGES, 2);
    for (uint32_t edge = 0; edge < EDGE_KINDS_MOST; edge++)
        floors_at_random(&r->at.net, edge, 10);
    r->at.net.early = 1u << EARLY;
    assert_true(net_check(&r->at.net));
}

/* Nobody is let go by a meeting before it ends. */
static bool lets_go_early(const struct meeting_net *r, uint32_t node)
{
    for (uint32_t i = 0; i < r->at.net.edge_count; i++)
        if (r->at.edges[i].from == node && r->at.edges[i].kind != EARLY &&
            net_leaves(&r->at.net, node, r->at.edges[i].to, r->at.edges[i].kind) != r->at.work[node])
            return true;
    return false;
}

static void add_meetings(struct meeting_net *r)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < NODES && count < MEETINGS_MOST; node++) {
        if (below(4) || lets_go_early(r, node))
            continue;
        r->meets[node] = true;
        r->entries[count] = (struct response_entry){node, count};
        r->exits[count] = (struct response_exit){.node = node, .meeting = count, .let_go = net_end(&r->at.net, node)};
        count++;
    }
    for (uint32_t i = 0; i < LAST; i++)
        r->marks[i] = (struct response_mark){NODES - 1 - i, 0, r->at.work[NODES - 1 - i] + i};
    r->ask = (struct response_ask){.entries = r->entries,
                                   .exits = r->exits,
                                   .marks = r->marks,
                                   .entry_count = count,
                                   .exit_count = count,
                                   .meeting_count = count,
                                   .mark_count = LAST,
                                   .times = 1,
                                   .until = NODES,
                                   .from = INT64_MIN};
}

static int64_t work_now(const void *context, uint32_t node)
{
    return ((const int64_t *)context)[node];
}

/* What a row says, where the meetings were left then; INT64_MIN: nothing. */
static int64_t said(const struct response_row *row, const int64_t *left, int run)
{
    int64_t latest = INT64_MIN;
    for (uint32_t i = 0; i < row->count; i++) {
        const struct response_term *term = &row->terms[i];
        if (term->at[run] == INT64_MIN)
            continue;
        const int64_t at = term->at[run] + (term->exit == RESPONSE_START ? 0 : left[term->exit]);
        latest = at > latest ? at : latest;
    }
    return latest;
}

/* The net runs from meeting to meeting; each ends some time after it came. */
static void check_run(const struct meeting_net *r, const struct response_row *rows, int run, const int64_t *works,
                      struct arena *arena)
{
    const struct change change = {.context = works, .work = work_now, .from = INT64_MIN};
    struct run slow = run_open(&r->at.net, &change, (struct schedule){0}, arena);
    int64_t left[MEETINGS_MOST] = {0}, end = INT64_MIN;
    for (uint32_t i = 0; i < r->ask.meeting_count; i++) {
        const uint32_t node = r->entries[i].node;
        assert_true(run_until(&slow, node));
        assert_int_equal(said(&rows[i], left, run), slow.start[node]);
        left[i] = slow.start[node] + below(60);
        run_end(&slow, left[i]);
    }
    run_until(&slow, NODES);
    for (uint32_t i = 0; i < LAST; i++) {
        const int64_t at = slow.end[r->marks[i].node] + i;
        end = at > end ? at : end;
    }
    assert_int_equal(said(&rows[r->ask.meeting_count], left, run), end);
}

static void check_net(struct meeting_net *r)
{
    struct arena arena = {0};
    int64_t works[ABREAST][NODES];
    r->at.net.arrival = net_arrivals(&r->at.net, &arena);
    const struct abreast abreast = abreast_open(&r->at.net, EDGE_KINDS_MOST, &arena);
    for (int run = 0; run < ABREAST; run++)
        for (uint32_t node = 0; node < NODES; node++) {
            const int64_t part[] = {r->at.work[node], r->at.work[node] / 2, 0, below(2) ? r->at.work[node] : 0};
            works[run][node] = abreast.end[(size_t)node * ABREAST + (size_t)run] = part[run];
        }
    const struct response_row *rows = response_run(&abreast, &r->ask, &arena);
    for (int run = 0; run < ABREAST; run++)
        check_run(r, rows, run, works[run], &arena);
    arena_free(&arena);
}

static void terms_give_what_a_run_gives(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct meeting_net r;
        fill(&r);
        add_meetings(&r);
        check_net(&r);
    }
}

/* A lane that waits in each of many meetings: each follows the one before, and no other. */
static void what_another_outdoes_is_no_term(void **state)
{
    (void)state;
    struct meeting_net r = {0};
    net_without_edges(&r.at, NODES);
    struct arena arena = {0};
    for (uint32_t node = 0; node < NODES; node++) {
        r.at.start[node] = 10 * (int64_t)node;
        r.at.work[node] = 10;
        r.at.before[node] = node ? node - 1 : NODE_NONE;
    }
    for (uint32_t i = 0; i < MEETINGS_MOST; i++) {
        r.entries[i] = (struct response_entry){2 * i + 1, i};
        r.exits[i] = (struct response_exit){.node = 2 * i + 1, .meeting = i, .let_go = 20 * (int64_t)i + 20};
    }
    r.ask = (struct response_ask){.entries = r.entries,
                                  .exits = r.exits,
                                  .entry_count = MEETINGS_MOST,
                                  .exit_count = MEETINGS_MOST,
                                  .meeting_count = MEETINGS_MOST,
                                  .until = NODES,
                                  .from = INT64_MIN};
    r.at.net.arrival = net_arrivals(&r.at.net, &arena);
    const struct abreast abreast = abreast_open(&r.at.net, EDGE_KINDS_MOST, &arena);
    for (uint32_t i = 0; i < NODES * ABREAST; i++)
        abreast.end[i] = 10;
    const struct response_row *rows = response_run(&abreast, &r.ask, &arena);
    assert_int_equal(rows[0].count, 1);
    assert_int_equal(rows[0].terms[0].exit, RESPONSE_START);
    for (uint32_t i = 1; i < MEETINGS_MOST; i++) {
        assert_int_equal(rows[i].count, 1);
        assert_int_equal(rows[i].terms[0].exit, i - 1);
        assert_int_equal(rows[i].terms[0].at[0], 10);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_give_what_a_run_gives),
        cmocka_unit_test(what_another_outdoes_is_no_term),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
