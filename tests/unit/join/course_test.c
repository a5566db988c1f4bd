/* SPDX-License-Identifier: Apache-2.0 */
/* Which call of the text each call of a run is: by order, and said where that does not tell. */
#include "unit/cmocka_first.h"

#include <string.h>

#include "base/arena.h"
#include "join/course_fit.h"
#include "syntax/syntax.h"

enum { MOST = 64 };

struct fitted {
    struct arena arena;
    const struct syntax *tree;
    struct course course;
    struct course_fit fit;
};

/* `calls`: "f g * h", * of an object; those of the text that stand there are seen. */
static struct fitted fit_calls(const char *text, const char *calls, bool is_begun)
{
    struct fitted out = {0};
    uint32_t events[MOST], count = 0;
    bool seen[MOST] = {false};
    str rest = str_of(calls), part;
    out.tree = syntax_parse(&out.arena, S("a.py"), str_of(text));
    out.course = course_of(out.tree, 1, &out.arena);
    while (str_cut(&rest, ' ', &part)) {
        events[count] = str_eq(part, S("*")) ? (uint32_t)EVENT_ANY : course_name(&out.course, part);
        if (events[count] != EVENT_ANY)
            seen[events[count]] = true;
        count++;
    }
    const struct course_run run = {events, count, is_begun, is_begun};
    out.fit = course_fit(&out.course, seen, &run, &out.arena);
    return out;
}

static void free_fitted(struct fitted *fitted)
{
    course_free(&fitted->course);
    arena_free(&fitted->arena);
}

/* By call: "." of the function, "?" unsure, "-" of nothing, else the line of the loop in brackets. */
static const char *words(struct fitted *fitted, const char *calls, char *out)
{
    size_t count = 1;
    for (const char *at = calls; *at; at++)
        count += *at == ' ';
    for (size_t i = 0; i < count; i++) {
        const uint32_t loop = fitted->fit.loops[i];
        out[i] = loop == 0             ? '.'
                 : loop == LOOP_UNSURE ? '?'
                 : loop == LOOP_NONE   ? '-'
                                       : (char)('0' + syntax_place(fitted->tree, fitted->tree->begin[loop]).line);
    }
    out[count] = 0;
    return out;
}

static void check(const char *text, const char *calls, const char *expected, uint32_t cost)
{
    char out[MOST];
    struct fitted fitted = fit_calls(text, calls, false);
    assert_string_equal(words(&fitted, calls, out), expected);
    assert_int_equal(fitted.fit.cost, cost);
    free_fitted(&fitted);
}

static void loops_are_told_by_what_stands_between(void **state)
{
    (void)state;
    const char *const text = "def f(rows):\n"
                             "    for row in rows:\n"
                             "        u = where(row)\n"
                             "        v = where(row)\n"
                             "        kept.append(u)\n"
                             "        more.extend([where(x) for x in row if good(x)])\n";
    check(text, "where where append good where good good where extend where where append extend", "...66666.....", 0);
    check(text, "where where append extend where where append good where extend", ".......66.", 0);
}

static void what_is_not_in_the_text_costs_and_moves_nothing(void **state)
{
    (void)state;
    const char *const text = "def f(rows):\n"
                             "    a = first(rows)\n"
                             "    b = [second(x) for x in rows]\n"
                             "    return last(b)\n";
    check(text, "first second second last", ".33.", 0);
    check(text, "first second first second last", ".3-3.", 1);
    check(text, "first * second last", ".-3.", 1);
}

static void branches_that_read_the_same_are_unsure(void **state)
{
    (void)state;
    const char *const text = "def f(wide, rows):\n"
                             "    if wide:\n"
                             "        a = [g(x) for x in rows]\n"
                             "    else:\n"
                             "        a = [g(x) for x in rows]\n"
                             "    return h(a)\n";
    check(text, "g g h", "??.", 0);
}

static void statements_go_their_own_ways(void **state)
{
    (void)state;
    check("def f(rows):\n"
          "    while more():\n"
          "        if odd():\n"
          "            continue\n"
          "        try:\n"
          "            a = [g(x) for x in [h(y) for y in rows]]\n"
          "        except ValueError:\n"
          "            break\n"
          "        finally:\n"
          "            done()\n"
          "    return {k: g(k) for k in rows} if end() else late()\n",
          "more odd more odd h h g g done more end g g", "....6666...;;", 0);
}

static void a_run_may_be_recorded_from_its_middle(void **state)
{
    (void)state;
    char out[MOST];
    const char *const calls = "h begin g g";
    struct fitted fitted = fit_calls("def f(rows):\n"
                                     "    setup()\n"
                                     "    for row in rows:\n"
                                     "        begin()\n"
                                     "        a = [g(x) for x in row]\n"
                                     "        h(a)\n"
                                     "    end()\n",
                                     calls, true);
    assert_string_equal(words(&fitted, calls, out), "..55");
    assert_int_equal(fitted.fit.cost, 0);
    free_fitted(&fitted);
}

static void loops_that_call_nothing_lie_in_gaps(void **state)
{
    (void)state;
    struct fitted fitted = fit_calls("def f(rows, hidden):\n"
                                     "    n = len(rows)\n"
                                     "    a = stack([hidden[i] for i in range(n)])\n"
                                     "    b = Tensor(rows)\n"
                                     "    return join([b[i] for i in rows])\n",
                                     "len stack join", false);
    assert_int_equal(syntax_place(fitted.tree, fitted.tree->begin[fitted.fit.gaps[1].loop]).line, 3);
    assert_false(fitted.fit.gaps[1].is_unclean);
    assert_int_equal(syntax_place(fitted.tree, fitted.tree->begin[fitted.fit.gaps[2].loop]).line, 5);
    assert_true(fitted.fit.gaps[2].is_unclean); /* Tensor(...) has no frame and may take all of the time */
    assert_int_equal(fitted.fit.gaps[0].loop, 0);
    assert_int_equal(fitted.fit.gaps[3].loop, 0);
    free_fitted(&fitted);
}

static void calls_of_another_text_do_not_fit(void **state)
{
    (void)state;
    struct fitted fitted = fit_calls("def f(rows):\n"
                                     "    a = [g(x) for x in rows]\n"
                                     "    return h(a)\n",
                                     "h g h g h g h g h g h g", false);
    assert_false(fitted.fit.fits);
    free_fitted(&fitted);
}

static void any_text_ends(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "def f(:\n  [x for\n", "def f():\n    return [", "def f():\n    [g(x for x in y) for (a in b]\n",
        "def f():\n    break\n    continue\n    a = b = [c for d in e for f in g if h() if i()]\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        const struct syntax *const tree = syntax_parse(&arena, S("a.py"), str_of(texts[i]));
        for (uint32_t node = 0; node < tree->count; node++) {
            if (node && tree->kind[node] != SYN_FUNCTION)
                continue;
            struct course course = course_of(tree, node, &arena);
            const struct course_run run = {NULL, 0, false, false};
            bool *const seen = arena_array(&arena, course.name_count, sizeof *seen);
            course_fit(&course, seen, &run, &arena);
            assert_int_equal(course.steps[course.count - 1].op, COURSE_END);
            for (uint32_t k = 0; k + 1 < course.count; k++)
                assert_true((course.steps[k].op != COURSE_SPLIT && course.steps[k].op != COURSE_JUMP) ||
                            course.steps[k].to < course.count);
            course_free(&course);
        }
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_told_by_what_stands_between),
        cmocka_unit_test(what_is_not_in_the_text_costs_and_moves_nothing),
        cmocka_unit_test(branches_that_read_the_same_are_unsure),
        cmocka_unit_test(statements_go_their_own_ways),
        cmocka_unit_test(a_run_may_be_recorded_from_its_middle),
        cmocka_unit_test(loops_that_call_nothing_lie_in_gaps),
        cmocka_unit_test(calls_of_another_text_do_not_fit),
        cmocka_unit_test(any_text_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
