/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a file: the layout of each kind, and what becomes of text that is no Python. */
#include "unit/cmocka_first.h"

#include "base/buf.h"
#include "syntax/syntax.h"

static struct arena arena;

static const struct syntax *parsed(str text)
{
    return syntax_parse(&arena, S("test.py"), text);
}

static bool is_word(enum syntax_kind kind)
{
    return kind == SYN_NAME || kind == SYN_INTEGER || kind == SYN_FLOAT || kind == SYN_STRING || kind == SYN_OTHER ||
           kind == SYN_ERROR;
}

/* (kind child...), a leaf by its text, and - for what is absent. */
static void write_node(struct buf *buf, const struct syntax *tree, uint32_t node)
{
    const enum syntax_kind kind = tree->kind[node];
    if (kind == SYN_ABSENT) {
        buf_char(buf, '-');
        return;
    }
    if (tree->size[node] == 1 && is_word(kind)) {
        if (kind == SYN_ERROR || kind == SYN_OTHER)
            buf_printf(buf, "%s:", syntax_kind_name(kind));
        buf_add(buf, syntax_text(tree, node));
        return;
    }
    buf_printf(buf, "(%s", syntax_kind_name(kind));
    for (uint32_t at = syntax_first(tree, node); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        buf_char(buf, ' ');
        write_node(buf, tree, at);
    }
    buf_char(buf, ')');
}

static const char *shape(const struct syntax *tree, uint32_t node)
{
    struct buf buf = {0};
    write_node(&buf, tree, node);
    const char *text = str_z(&arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

/* Of the first statement, from its one-line text or more. */
static void assert_shape(const char *text, const char *wanted)
{
    const struct syntax *tree = parsed(str_of(text));
    assert_int_equal(tree->error_count, 0);
    assert_string_equal(shape(tree, 1), wanted);
}

/* --- layouts --------------------------------------------------------------------------------------------------------------- */

static void definitions(void **state)
{
    assert_shape("def f(a, /, b: c = 1, *d, e=2, **g) -> h: pass\n",
                 "(function f (parameters (parameter a - -) (parameter - - -) (parameter b c 1) (parameter d - -) "
                 "(parameter e - 2) (parameter g - -)) h (block (pass)))");
    assert_shape("def f():\n  a\n", "(function f (parameters) - (block (expr a)))");
    assert_shape("class A: pass\n", "(class A - (block (pass)))");
    assert_shape("class A(B, c=D): pass\n", "(class A (arguments B (keyword c D)) (block (pass)))");
    assert_shape("@a\n@b(c)\nclass D: pass\n", "(decorated a (call b (arguments c)) (class D - (block (pass))))");
}

static void branches_and_loops(void **state)
{
    assert_shape("if a: b\nelif c: d\nelse: e\n", "(if a (block (expr b)) (if c (block (expr d)) (block (expr e))))");
    assert_shape("if a: b\n", "(if a (block (expr b)) -)");
    assert_shape("for a, in b, c: d\nelse: e\n", "(for (tuple a) (tuple b c) (block (expr d)) (block (expr e)))");
    assert_shape("while a: b\n", "(while a (block (expr b)) -)");
    assert_shape("with a as b, c: d\n", "(with (with_item a b) (with_item c -) (block (expr d)))");
    assert_shape("match a, b:\n case [c]|d if e: f\n case _: g\n",
                 "(match (tuple a b) (case other:[c]|d e (block (expr f))) (case other:_ - (block (expr g))))");
}

static void exceptions(void **state)
{
    assert_shape("try: a\nexcept: b\n", "(try (block (expr a)) (except - - (block (expr b))) - -)");
    assert_shape(
        "try: a\nexcept B as c: d\nelse: e\nfinally: f\n",
        "(try (block (expr a)) (except B c (block (expr d))) (else (block (expr e))) (finally (block (expr f))))");
    assert_shape("try: a\nfinally: b\n", "(try (block (expr a)) - (finally (block (expr b))))");
    assert_shape("try: a\nexcept* B: c\n", "(try (block (expr a)) (except B - (block (expr c))) - -)");
    assert_shape("raise a from b\n", "(raise a b)");
}

static void simple_statements(void **state)
{
    assert_shape("a = b, = c\n", "(assign a (tuple b) c)");
    assert_shape("a: b = c\n", "(ann_assign a b c)");
    assert_shape("a: b\n", "(ann_assign a b -)");
    assert_shape("a += b\n", "(aug_assign a b)");
    assert_shape("del a, b[c]\n", "(delete a (subscript b c))");
    assert_shape("assert a, b\n", "(assert a b)");
    assert_shape("assert a\n", "(assert a -)");
    assert_shape("import a.b.c as d, e\n", "(import (alias (attribute (attribute a b) c) d) (alias e -))");
    assert_shape("from a.b import (c as d, e)\n", "(from_import (attribute a b) (alias c d) (alias e -))");
    assert_shape("from ..a import *\n", "(from_import other:..a)");
    assert_shape("from __future__ import a\n", "(from_import __future__ (alias a -))");
    assert_shape("global a, b\n", "(global a b)");
    assert_shape("def f(): return\n", "(function f (parameters) - (block (return -)))");
    assert_shape("print >>a, b\n", "other:print >>a, b");
}

static void expressions(void **state)
{
    assert_shape(
        "a.b(c, *d, e=f, **g)[h]\n",
        "(expr (subscript (call (attribute a b) (arguments c (starred d) (keyword e f) (double_starred g))) h))");
    assert_shape("a[b:, ::c, d]\n", "(expr (subscript a (tuple (slice b - -) (slice - - c) d)))");
    assert_shape("a[b,]\n", "(expr (subscript a (tuple b)))");
    assert_shape("-a + b ** (c)\n", "(expr (binary (unary a) (binary b c)))");
    assert_shape("not a or b and c\n", "(expr (bool (not a) (bool b c)))");
    assert_shape("a < b != c\n", "(expr (compare a b c))");
    assert_shape("a if b else c\n", "(expr (conditional a b c))");
    assert_shape("lambda a, *b: c\n", "(expr (lambda (parameters (parameter a - -) (parameter b - -)) c))");
    assert_shape("lambda: c\n", "(expr (lambda (parameters) c))");
    assert_shape("(a := b)\n", "(expr (named a b))");
    assert_shape("[a, (b, c), {d}, {e: f, **g}, ()]\n",
                 "(expr (list a (tuple b c) (set d) (dict (pair e f) (double_starred g)) (tuple)))");
    assert_shape("{a: b for c, d in e if f if g}\n",
                 "(expr (dict_comp (pair a b) (comp_for (tuple c d) e) (comp_if f) (comp_if g)))");
    assert_shape("f(a for b in c for d in e)\n",
                 "(expr (call f (arguments (generator a (comp_for b c) (comp_for d e)))))");
    assert_shape("f'{a!r:>{b}}' 'c' f'{d}'\n", "(expr (string (interpolation a) (interpolation d)))");
    assert_shape("1, 2., 3j, True, None, ...\n", "(expr (tuple 1 2. 3j (true) (none) (ellipsis)))");
    assert_shape("a = yield\n", "(assign a (yield -))");
    assert_shape("await a\n", "(expr (await a))");
}

static unsigned op_of(const char *text)
{
    return parsed(str_of(text))->op[2];
}

static void operators(void **state)
{
    assert_int_equal(op_of("a // b\n"), OP_FLOORDIV);
    assert_int_equal(op_of("a not in b\n"), OP_NOT_IN);
    assert_int_equal(op_of("a is not b\n"), OP_IS_NOT);
    assert_int_equal(op_of("a < b > c\n"), OP_LESS);
    assert_int_equal(op_of("~a\n"), OP_INVERT);
    assert_int_equal(op_of("a and b\n"), OP_AND);
    assert_int_equal(op_of("yield from a\n"), OP_FROM);
    assert_int_equal(parsed(S("a @= b\n"))->op[1], OP_MATMUL);
    assert_int_equal(parsed(S("async def f(): pass\n"))->op[1], OP_ASYNC);
}

/* --- places ------------------------------------------------------------------------------------------------------------------ */

static void parentheses_leave_no_node_but_are_found(void **state)
{
    const struct syntax *tree = parsed(S("a = ((b)) + (c, d)\n"));
    uint32_t begin, end;
    syntax_outer(tree, 4, &begin, &end); /* b */
    assert_int_equal(begin, 4);
    assert_int_equal(end, 9);
    syntax_outer(tree, 3, &begin, &end); /* the sum */
    assert_int_equal(begin, 4);
    assert_int_equal(end, 18);
    syntax_outer(tree, 5, &begin, &end); /* the tuple */
    assert_int_equal(begin, 12);
    assert_int_equal(end, 18);
}

static void places_are_counted_as_people_do(void **state)
{
    const struct syntax *tree = parsed(S("a\r\nb\rcc\n\n"));
    assert_int_equal(tree->line_count, 5);
    const struct place_in_text place = syntax_place(tree, 6);
    assert_int_equal(place.line, 3);
    assert_int_equal(place.column, 2);
    assert_true(str_eq(syntax_line(tree, 1), S("a")));
    assert_true(str_eq(syntax_line(tree, 3), S("cc")));
    assert_true(str_eq(syntax_line(tree, 5), S("")));
    assert_true(str_eq(syntax_line(tree, 6), S("")));
    assert_int_equal(parsed(S(""))->line_count, 1);
}

static void comments_are_told_from_strings(void **state)
{
    const struct syntax *tree = parsed(S("a = '#b'  # c\n'''\n# d\n'''\n# e\r\nf'{g[\"#\"]}#'\n"));
    assert_true(str_eq(syntax_comment(tree, 1), S("# c")));
    assert_true(str_eq(syntax_comment(tree, 3), S("")));
    assert_true(str_eq(syntax_comment(tree, 5), S("# e")));
    assert_true(str_eq(syntax_comment(tree, 6), S("")));
    assert_int_equal(tree->comment_count, 2);
}

static void statements_and_functions_are_found(void **state)
{
    const struct syntax *tree = parsed(S("def f():\n  if a:\n    b\n  elif c: d\ng = lambda: h\n"));
    uint32_t names[9], count = 0;
    for (uint32_t node = 0; node < tree->count; node++)
        if (tree->kind[node] == SYN_NAME)
            names[count++] = node;
    assert_true(str_starts(syntax_text(tree, syntax_statement(tree, names[1])), S("if a")));
    assert_true(str_starts(syntax_text(tree, syntax_statement(tree, names[3])), S("if a"))); /* an elif is none */
    assert_int_equal(tree->kind[syntax_function(tree, names[2])], SYN_FUNCTION);
    assert_int_equal(tree->kind[syntax_function(tree, names[6])], SYN_LAMBDA);
    assert_int_equal(syntax_function(tree, names[5]), SYNTAX_NONE);
    assert_true(str_eq(syntax_indent(tree, syntax_statement(tree, names[2])), S("    ")));
}

static void arguments_are_found_by_place_and_name(void **state)
{
    const struct syntax *tree = parsed(S("f(a, b=c, *d, e)\n"));
    assert_true(str_eq(syntax_text(tree, syntax_argument(tree, 2, 0, "x")), S("a")));
    assert_true(str_eq(syntax_text(tree, syntax_argument(tree, 2, 5, "b")), S("c")));
    assert_int_equal(syntax_argument(tree, 2, 1, NULL), SYNTAX_NONE);
    assert_true(syntax_arguments_hidden(tree, 2));
    assert_true(syntax_calls(tree, 2, S("f")));
}

static bool same(const char *a, const char *b)
{
    const struct syntax *x = parsed(str_of(a)), *y = parsed(str_of(b));
    return syntax_same(x, 1, y, 1);
}

static void what_reads_the_same_is_the_same(void **state)
{
    assert_true(same("a.b( c+1 )\n", "(a . b((c) # d\n  + 1))\n"));
    assert_false(same("a + b\n", "a - b\n"));
    assert_true(same("a < b<=c\n", "a<b <= c\n"));
    assert_false(same("a < b <= c\n", "a < b < c\n"));
    assert_false(same("'a'\n", "'b'\n"));
    assert_false(same("f'{a:1}'\n", "f'{a:2}'\n"));
    assert_false(same("a[b:]\n", "a[:b]\n"));
}

/* --- errors ------------------------------------------------------------------------------------------------------------------ */

static void what_stands_around_an_error_is_whole(void **state)
{
    const struct syntax *tree = parsed(S("a = 1\nb = = 2\ndef f():\n    c\n"));
    assert_int_equal(tree->error_count, 1);
    assert_int_equal(syntax_place(tree, tree->error_at).line, 2);
    assert_string_equal(shape(tree, 0),
                        "(module (assign a 1) error:b = = 2 (function f (parameters) - (block (expr c))))");
}

static void an_open_bracket_ends_before_the_next_definition(void **state)
{
    const struct syntax *tree = parsed(S("a = (1,\nb = 2\n\ndef f(): c\nd\n"));
    assert_true(tree->error_count > 0);
    assert_int_equal(tree->error_at < 8, 1);
    const uint32_t function = syntax_next(tree, 1);
    assert_string_equal(shape(tree, function), "(function f (parameters) - (block (expr c)))");
    assert_string_equal(shape(tree, syntax_next(tree, function)), "(expr d)");
}

static void an_empty_block_is_an_error(void **state)
{
    assert_int_equal(parsed(S("if a:\nb\n"))->error_count, 1);
    assert_int_equal(parsed(S("def f():\n    # nothing\n"))->error_count, 1);
}

static void a_nul_makes_it_no_python(void **state)
{
    const struct syntax *tree = parsed(S("a = 1\n\0\nb\n"));
    assert_int_equal(tree->error_count, 1);
    assert_int_equal(tree->error_at, 6);
    assert_string_equal(syntax_kind_name(tree->kind[1]), "error");
}

/* --- size ---------------------------------------------------------------------------------------------------------------------- */

static str repeated(const char *before, const char *part, int times, const char *middle, const char *after)
{
    struct buf buf = {0};
    buf_add(&buf, str_of(before));
    for (int i = 0; i < times; i++)
        buf_add(&buf, str_of(part));
    buf_add(&buf, str_of(middle));
    for (int i = 0; i < times && *after; i++)
        buf_add(&buf, str_of(after));
    buf_char(&buf, '\n');
    const str text = str_copy(&arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

enum {
    DEPTH = 5000
}; /* of brackets with up to six tokens a level; deeper ones are taken out, as the next test has it */

static void depth_costs_no_stack(void **state)
{
    static const char *const parts[][4] = {
        {"x = ", "(", "1", ")"},    {"x = ", "[", "1", "]"},    {"x = ", "f(", "", ")"},
        {"x = ", "{1: ", "1", "}"}, {"x = ", "not ", "1", ""},  {"x = ", "-", "1", ""},
        {"x = ", "1 + ", "1", ""},  {"x = ", "a.", "b", ""},    {"x = ", "lambda: ", "1", ""},
        {"x = ", "a = ", "1", ""},  {"x = ", "a ** ", "1", ""}, {"", "a[", "1,", "],"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const str text = repeated(parts[i][0], parts[i][1], DEPTH, parts[i][2], parts[i][3]);
        const struct syntax *tree = parsed(text);
        assert_int_equal(tree->error_count, 0);
        assert_in_range(tree->count + tree->parens_count, DEPTH, 10 * DEPTH);
    }
    assert_int_equal(parsed(repeated("x = ", "a if b else ", DEPTH, "1", ""))->error_count, 0);
    assert_int_equal(parsed(repeated("if a: b\n", "elif a: b\n", DEPTH, "", ""))->error_count, 0);
}

/* The parser's counts have 16 bits. */
static void what_would_overflow_the_parser_is_taken_out(void **state)
{
    const struct syntax *tree = parsed(repeated("a = [", "1, ", 100000, "]", ""));
    assert_int_equal(tree->error_count, 0);
    assert_int_equal(tree->count, 5); /* module, assign, a, list, what was in it */
    assert_int_equal(tree->kind[4], SYN_OTHER);
    assert_int_equal(tree->end[4] - tree->begin[4], 300000);
    assert_int_equal(tree->kind[3], SYN_LIST);
    tree = parsed(repeated("a = {", "1: 2, ", 100000, "}", ""));
    assert_int_equal(tree->kind[3], SYN_DICT);
    tree = parsed(repeated("a = ", "not ", 100000, "b", ""));
    assert_string_equal(syntax_kind_name(tree->kind[1]), "expr");
    assert_int_equal(tree->kind[2], SYN_OTHER);
    tree = parsed(repeated("a = ", "(", 100000, "b", ""));
    assert_int_equal(tree->error_count, 1);
    tree = parsed(repeated("a = [1,\n", "# b\n", 100000, "2]\nc", ""));
    assert_int_equal(tree->error_count, 0);
    assert_int_equal(tree->comment_count, 100000);
}

static void a_large_file_is_read_in_pieces_that_fit(void **state)
{
    const char *part = "@a\ndef f(b):\n    if b:\n        return '''c\n# no'''  # d\n    else:\n        e\n\n";
    const struct syntax *tree = parsed(repeated("", part, 20000, "", ""));
    assert_int_equal(tree->error_count, 0);
    assert_int_equal(syntax_child_count(tree, 0), 20000);
    for (uint32_t at = 1; at != SYNTAX_NONE; at = syntax_next(tree, at))
        assert_int_equal(tree->size[at], tree->size[1]);
}

static int forget(void **state)
{
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions),
        cmocka_unit_test(branches_and_loops),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(simple_statements),
        cmocka_unit_test(expressions),
        cmocka_unit_test(operators),
        cmocka_unit_test(parentheses_leave_no_node_but_are_found),
        cmocka_unit_test(places_are_counted_as_people_do),
        cmocka_unit_test(comments_are_told_from_strings),
        cmocka_unit_test(statements_and_functions_are_found),
        cmocka_unit_test(arguments_are_found_by_place_and_name),
        cmocka_unit_test(what_reads_the_same_is_the_same),
        cmocka_unit_test(what_stands_around_an_error_is_whole),
        cmocka_unit_test(an_open_bracket_ends_before_the_next_definition),
        cmocka_unit_test(an_empty_block_is_an_error),
        cmocka_unit_test(a_nul_makes_it_no_python),
        cmocka_unit_test(depth_costs_no_stack),
        cmocka_unit_test(what_would_overflow_the_parser_is_taken_out),
        cmocka_unit_test(a_large_file_is_read_in_pieces_that_fit),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
