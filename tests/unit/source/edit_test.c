/* SPDX-License-Identifier: Apache-2.0 */
/* Edits: whole groups, kept line ends, statements in and out, results that parse. */
#include "unit/cmocka_first.h"

#include "syntax/edit.h"

static struct arena arena;

static const struct syntax *parsed(const char *text)
{
    return syntax_parse(&arena, S("test.py"), str_of(text));
}

/* The nth node of a kind, from 0. */
static uint32_t find(const struct syntax *tree, enum syntax_kind kind, uint32_t n)
{
    for (uint32_t node = 0; node < tree->count; node++)
        if (tree->kind[node] == kind && !n--)
            return node;
    fail_msg("no such node");
    return SYNTAX_NONE;
}

static void assert_text(str got, const char *wanted)
{
    assert_string_equal(str_z(&arena, got), wanted);
}

static void assert_result(const struct edits *edits, const char *wanted)
{
    assert_text(edits_apply(edits, &arena), wanted);
}

/* --- groups -------------------------------------------------------------------------------------------------------------- */

static void a_group_is_taken_whole_or_not_at_all(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("a = b + c\n"));
    assert_int_equal(edits_take(edits, (struct edit[]){{4, 5, S("x"), 0}}, 1), 0);
    const struct edit both[] = {{8, 9, S("y"), 0}, {4, 9, S("z"), 0}};
    assert_int_equal(edits_take(edits, both, 2), EDITS_REFUSED);
    assert_result(edits, "a = x + c\n");
    assert_int_equal(edits_take(edits, both, 1), 1);
    assert_result(edits, "a = x + y\n");
}

static void a_group_that_overlaps_itself_is_refused(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("a = b + c\n"));
    const struct edit both[] = {{4, 9, S("y"), 0}, {8, 9, S("z"), 0}};
    assert_int_equal(edits_take(edits, both, 2), EDITS_REFUSED);
    assert_result(edits, "a = b + c\n");
}

static void an_edit_beyond_the_text_is_refused(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("a\n"));
    assert_int_equal(edits_take(edits, (struct edit[]){{1, 3, S(""), 0}}, 1), EDITS_REFUSED);
    assert_int_equal(edits_take(edits, (struct edit[]){{2, 1, S(""), 0}}, 1), EDITS_REFUSED);
}

static void insertions_touch_and_keep_their_order(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("abc\n"));
    assert_int_equal(edits_take(edits, (struct edit[]){{1, 2, S("X"), 0}}, 1), 0);
    assert_int_equal(edits_take(edits, (struct edit[]){{1, 1, S("("), 0}}, 1), 1);
    assert_int_equal(edits_take(edits, (struct edit[]){{1, 1, S("["), 0}}, 1), 2);
    assert_int_equal(edits_take(edits, (struct edit[]){{2, 2, S(")"), 0}}, 1), 3);
    assert_result(edits, "a([X)c\n");
}

static void an_insertion_inside_a_replacement_is_refused(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("abcd\n"));
    assert_int_equal(edits_take(edits, (struct edit[]){{0, 3, S("X"), 0}}, 1), 0);
    assert_int_equal(edits_take(edits, (struct edit[]){{1, 1, S("("), 0}}, 1), EDITS_REFUSED);
    edits = edits_new(&arena, parsed("abcd\n"));
    assert_int_equal(edits_take(edits, (struct edit[]){{1, 1, S("("), 0}}, 1), 0);
    assert_int_equal(edits_take(edits, (struct edit[]){{0, 3, S("X"), 0}}, 1), EDITS_REFUSED);
}

static void the_same_insertion_is_made_once(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("a\n"));
    const struct edit import = {0, 0, S("import b\n"), 0};
    assert_int_equal(edits_take(edits, &import, 1), 0);
    assert_int_equal(edits_take(edits, &import, 1), 1);
    assert_result(edits, "import b\na\n");
}

static void a_group_can_be_dropped(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("a = b + c\n"));
    edits_take(edits, (struct edit[]){{0, 1, S("x"), 0}}, 1);
    edits_take(edits, (struct edit[]){{4, 5, S("y"), 0}}, 1);
    edits_drop(edits, 0);
    assert_false(edits_holds(edits, 0));
    assert_true(edits_holds(edits, 1));
    assert_result(edits, "a = y + c\n");
    uint32_t count;
    assert_int_equal(edits_list(edits, &count)[0].begin, 4);
    assert_int_equal(count, 1);
}

static void a_group_that_breaks_the_file_is_dropped_alone(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("a = b\nc = d\ne = f\n"));
    edits_take(edits, (struct edit[]){{4, 5, S("1"), 0}}, 1);
    edits_take(edits, (struct edit[]){{10, 11, S("(2"), 0}}, 1);
    edits_take(edits, (struct edit[]){{16, 17, S("3"), 0}}, 1);
    assert_int_equal(edits_settle(edits), 1);
    assert_result(edits, "a = 1\nc = d\ne = 3\n");
}

static void errors_that_were_there_are_no_reason(void **state)
{
    struct edits *edits = edits_new(&arena, parsed("a = b c\nd = e\n"));
    edits_take(edits, (struct edit[]){{12, 13, S("1"), 0}}, 1);
    assert_int_equal(edits_settle(edits), 0);
    assert_result(edits, "a = b c\nd = 1\n");
}

/* --- lines --------------------------------------------------------------------------------------------------------------- */

static const char *lines_around(const char *text, enum syntax_kind kind, bool before, const char *lines)
{
    const struct syntax *tree = parsed(text);
    struct edit edit;
    const uint32_t statement = syntax_statement(tree, find(tree, kind, 0));
    if (!(before ? edit_lines_before : edit_lines_after)(&arena, tree, statement, str_of(lines), &edit))
        return NULL;
    struct edits *edits = edits_new(&arena, tree);
    assert_int_not_equal(edits_take(edits, &edit, 1), EDITS_REFUSED);
    assert_int_equal(edits_settle(edits), 0);
    return str_z(&arena, edits_apply(edits, &arena));
}

static void lines_take_the_indent_of_their_statement(void **state)
{
    assert_string_equal(lines_around("for a in b:\n\tc()  # d\n", SYN_CALL, true, "x = 1\ny = 2"),
                        "for a in b:\n\tx = 1\n\ty = 2\n\tc()  # d\n");
    assert_string_equal(lines_around("for a in b:\n\tc()  # d\ne\n", SYN_CALL, false, "x = 1"),
                        "for a in b:\n\tc()  # d\n\tx = 1\ne\n");
}

static void lines_have_the_ends_of_the_file(void **state)
{
    assert_string_equal(lines_around("if a:\r\n  f()\r\n", SYN_CALL, true, "x\ny"), "if a:\r\n  x\r\n  y\r\n  f()\r\n");
    assert_string_equal(lines_around("if a:\r  f()\r", SYN_CALL, false, "x\ny"), "if a:\r  f()\r  x\r  y\r");
}

static void a_last_line_without_an_end_gets_one(void **state)
{
    assert_string_equal(lines_around("if a:\n  f()", SYN_CALL, false, "x"), "if a:\n  f()\n  x");
}

static void a_statement_of_many_lines_is_passed_whole(void **state)
{
    assert_string_equal(lines_around("f(a,\n  b\n)\nc\n", SYN_CALL, false, "x"), "f(a,\n  b\n)\nx\nc\n");
    assert_string_equal(lines_around("f(a,\n  b\n)\nc\n", SYN_CALL, true, "x"), "x\nf(a,\n  b\n)\nc\n");
}

static void a_statement_that_shares_its_line_takes_no_lines(void **state)
{
    assert_null(lines_around("if a: f()\n", SYN_CALL, true, "x"));
    assert_null(lines_around("if a: f()\n", SYN_CALL, false, "x"));
    assert_null(lines_around("a; f()\n", SYN_CALL, true, "x"));
    assert_null(lines_around("f(); a\n", SYN_CALL, false, "x"));
    assert_string_equal(lines_around("f(); a\n", SYN_CALL, true, "x"), "x\nf(); a\n");
}

/* --- taking away ----------------------------------------------------------------------------------------------------------- */

static const char *without(const char *text, const uint32_t *calls, uint32_t count)
{
    const struct syntax *tree = parsed(text);
    struct edits *edits = edits_new(&arena, tree);
    for (uint32_t i = 0; i < count; i++) {
        struct edit edit;
        edit_delete(tree, syntax_statement(tree, find(tree, SYN_CALL, calls[i])), &edit);
        assert_int_not_equal(edits_take(edits, &edit, 1), EDITS_REFUSED);
    }
    assert_int_equal(edits_settle(edits), 0);
    return str_z(&arena, edits_apply(edits, &arena));
}

static void a_statement_goes_with_its_lines(void **state)
{
    const uint32_t first[] = {0};
    assert_string_equal(without("a\n# kept\nf(b,\n  c)  # gone\nd\n", first, 1), "a\n# kept\nd\n");
    assert_string_equal(without("a\r\nf()\r\nd\r\n", first, 1), "a\r\nd\r\n");
    assert_string_equal(without("a\nf()", first, 1), "a\n");
}

static void a_block_is_never_left_empty(void **state)
{
    const uint32_t first[] = {0}, all[] = {0, 1}, other_way[] = {1, 0};
    assert_string_equal(without("if a:\n    f()\nb\n", first, 1), "if a:\n    pass\nb\n");
    assert_string_equal(without("if a:\n    f()\n    g()\nb\n", all, 2), "if a:\n    pass\nb\n");
    assert_string_equal(without("if a:\n    f()\n    g()\nb\n", other_way, 2), "if a:\n    pass\nb\n");
}

static void a_statement_that_shares_its_line_becomes_pass(void **state)
{
    const uint32_t first[] = {0};
    assert_string_equal(without("f(); b\n", first, 1), "pass; b\n");
    assert_string_equal(without("if a: f()\n", first, 1), "if a: pass\n");
}

static int forget(void **state)
{
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_is_taken_whole_or_not_at_all),
        cmocka_unit_test(a_group_that_overlaps_itself_is_refused),
        cmocka_unit_test(an_edit_beyond_the_text_is_refused),
        cmocka_unit_test(insertions_touch_and_keep_their_order),
        cmocka_unit_test(an_insertion_inside_a_replacement_is_refused),
        cmocka_unit_test(the_same_insertion_is_made_once),
        cmocka_unit_test(a_group_can_be_dropped),
        cmocka_unit_test(a_group_that_breaks_the_file_is_dropped_alone),
        cmocka_unit_test(errors_that_were_there_are_no_reason),
        cmocka_unit_test(lines_take_the_indent_of_their_statement),
        cmocka_unit_test(lines_have_the_ends_of_the_file),
        cmocka_unit_test(a_last_line_without_an_end_gets_one),
        cmocka_unit_test(a_statement_of_many_lines_is_passed_whole),
        cmocka_unit_test(a_statement_that_shares_its_line_takes_no_lines),
        cmocka_unit_test(a_statement_goes_with_its_lines),
        cmocka_unit_test(a_block_is_never_left_empty),
        cmocka_unit_test(a_statement_that_shares_its_line_becomes_pass),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
