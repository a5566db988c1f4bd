/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include "base/buf.h"
#include "notebook/notebook.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

static struct notebook good(const char *raw)
{
    struct notebook notebook;
    struct steptime_error err = {0};
    if (!notebook_read(&arena, S("n.ipynb"), str_of(raw), &notebook, &err))
        fail_msg("%s", err.message);
    return notebook;
}

static void refused(const char *raw, const char *message)
{
    struct notebook notebook;
    struct steptime_error err = {0};
    assert_false(notebook_read(&arena, S("n.ipynb"), str_of(raw), &notebook, &err));
    assert_string_equal(err.message, message);
}

/* A notebook of one code cell with this source, as JSON. */
static struct notebook of_source(const char *source)
{
    return good(str_printf(&arena, "{\"cells\": [{\"cell_type\": \"code\", \"source\": %s}]}", source).at);
}

static void program_is(const struct notebook *notebook, const char *program)
{
    assert_string_equal(str_z(&arena, notebook->program), program);
    assert_int_equal(notebook->program.len, notebook->original.len);
}

/* The file with one edit of the program. */
static const char *edited(const char *raw, const char *at, uint32_t bytes, const char *text)
{
    const struct notebook notebook = good(raw);
    const char *found = strstr(str_z(&arena, notebook.original), at);
    assert_non_null(found);
    const uint32_t begin = (uint32_t)(strstr(notebook.original.at, at) - notebook.original.at);
    const struct edit edit = {begin, begin + bytes, str_of(text), 0};
    if (!notebook_takes(&notebook, &edit))
        return "refused";
    const struct edit *written = notebook_edits(&notebook, &arena, &edit, 1);
    return str_printf(&arena, "%.*s%.*s%s", (int)written->begin, raw, (int)written->text.len, written->text.at,
                      raw + written->end)
        .at;
}

/* ---- reading ---- */

static void code_cells_in_order(void **state)
{
    const struct notebook notebook =
        good("{\"cells\": [{\"source\": [\"a = 1\\n\", \"b = 2\"], \"cell_type\": \"code\"},"
             "{\"cell_type\": \"markdown\", \"source\": \"text\"},"
             "{\"cell_type\": \"code\", \"source\": \"c = 3\\n\"}]}");
    program_is(&notebook, "a = 1\nb = 2\nc = 3\n");
    assert_int_equal(notebook.cell_count, 2);
    assert_int_equal(notebook_cell_of_line(&notebook, 2)->number, 1);
    assert_int_equal(notebook_cell_of_line(&notebook, 3)->number, 3);
    assert_int_equal(notebook.cells[1].first_line, 3);
}

static void the_third_format_has_worksheets(void **state)
{
    const struct notebook notebook = good("{\"nbformat\": 3, \"worksheets\": [{\"cells\": [{\"cell_type\": \"code\","
                                          "\"language\": \"python\", \"input\": [\"a = 1\"]}]}]}");
    program_is(&notebook, "a = 1\n");
}

static void what_is_no_notebook(void **state)
{
    refused("", "line 1: is no notebook: it has no cells");
    refused("[1]", "line 1: is no notebook: it has no cells");
    refused("{\"cells\": 3}", "line 1: is no notebook: it has no cells");
    refused("{\"cells\": [\n{\"cell_type\": \"code\", \"source\": [\"a",
            "line 2: is no notebook, for the JSON is broken here");
    refused("{\"cells\": [], \"metadata\": {\"kernelspec\": {\"language\": \"R\"}}}",
            "line 1: is a notebook of R, not of Python");
    assert_int_equal(good("\xEF\xBB\xBF{\"cells\": []}").program.len, 0);
}

static void a_bad_cell_costs_itself(void **state)
{
    const struct notebook notebook =
        good("{\"cells\": [{\"cell_type\": \"code\"}, {\"cell_type\": \"code\", \"source\": 3}, 7,"
             "{\"cell_type\": \"code\", \"source\": \"for x in :\"},"
             "{\"cell_type\": \"code\", \"source\": \"a\\u0000\"},"
             "{\"cell_type\": \"code\", \"source\": \"a = 1\"}]}");
    program_is(&notebook, "##########\na = 1\n");
    assert_int_equal(notebook.left_out_count, 4);
    const uint32_t cells[] = {1, 2, 5, 4};
    for (int i = 0; i < 4; i++)
        assert_int_equal(notebook.left_out[i].cell, cells[i]);
}

/* ---- what is masked ---- */

static void masked_is(const char *source, const char *program)
{
    const struct notebook notebook = of_source(source);
    program_is(&notebook, program);
    assert_int_equal(notebook.left_out_count, 0);
}

static void magics_are_masked(void **state)
{
    masked_is("\"%matplotlib inline\\nx = 1\"", "_#atplotlib inline\nx = 1\n");
    masked_is("\"!ls \\\\\\n  -l\\nx = 1\"", "_#s \\\n# -l\nx = 1\n");
    masked_is("\"files = !ls\"", "files = _#s\n");
    masked_is("\"model?\"", "_#del?\n");
    masked_is("\"?\"", "_\n");
    masked_is("\"%time x = f()\"", "if 1: x = f()\n");
    masked_is("\"%timeit -n 10 -q f()\"", "if 1:            f()\n");
    masked_is("\"%time for x in y: f()\"", "_#ime for x in y: f()\n");
    masked_is("\"%%time\\nx = 1\"", "#%time\nx = 1\n");
    masked_is("\"%%bash\\nls\"", "");
}

static void python_is_not_masked(void **state)
{
    masked_is("\"x = (a\\n % b)\"", "x = (a\n % b)\n");
    masked_is("\"x = \\\"\\\"\\\"\\n%time\\n!ls ?\\n\\\"\\\"\\\"\"", "x = \"\"\"\n%time\n!ls ?\n\"\"\"\n");
    masked_is("\"x = a \\\\\\n  % b\"", "x = a \\\n  % b\n");
    masked_is("\"x %= 3  # really?\"", "x %= 3  # really?\n");
    masked_is("\"s = 'a?'; t = s != '!'\"", "s = 'a?'; t = s != '!'\n");
}

/* ---- writing back ---- */

#define LIST "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n  \"a = 1\\n\",\n  \"b = 'x'\"\n]}]}"

static void a_line_of_a_list(void **state)
{
    assert_string_equal(edited(LIST, "1", 1, "22"),
                        "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n  \"a = 22\\n\",\n  \"b = 'x'\"\n]}]}");
    assert_string_equal(
        edited(LIST, "b", 0, "q = \"\\\"\n"),
        "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n  \"a = 1\\n\",\n  \"q = \\\"\\\\\\\"\\n\",\n  "
        "\"b = 'x'\"\n]}]}");
    assert_string_equal(edited(LIST, "a = 1\n", 6, ""),
                        "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n  \"b = 'x'\"\n]}]}");
}

static void the_end_of_a_cell(void **state)
{
    assert_string_equal(edited(LIST, "b = 'x'\n", 8, ""),
                        "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n  \"a = 1\"\n]}]}");
    assert_string_equal(edited(LIST, "b = 'x'\n", 8, "c\n"),
                        "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n  \"a = 1\\n\",\n  \"c\"\n]}]}");
    const struct notebook notebook = good(LIST);
    const uint32_t end = (uint32_t)notebook.program.len;
    const struct edit behind = {end, end, S("c\nd\n"), 0};
    assert_true(notebook_takes(&notebook, &behind));
    assert_string_equal(str_z(&arena, notebook_edits(&notebook, &arena, &behind, 1)->text),
                        "\\n\",\n  \"c\\n\",\n  \"d");
}

static void one_text_stays_one(void **state)
{
    assert_string_equal(edited("{\"cells\":[{\"cell_type\":\"code\",\"source\":\"a\\nb\"}]}", "b", 0, "c\n"),
                        "{\"cells\":[{\"cell_type\":\"code\",\"source\":\"a\\nc\\nb\"}]}");
}

static void escapes_are_those_of_the_file(void **state)
{
    assert_string_equal(
        edited("{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"s = '\\u00e9\\ud83d\\ude00\\/'; x\"]}]}", "x", 1,
               "y = '\xC3\xA9\xF0\x9F\x98\x80'"),
        "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"s = '\\u00e9\\ud83d\\ude00\\/'; "
        "y = '\\u00e9\\ud83d\\ude00'\"]}]}");
    assert_string_equal(
        edited("{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"s = '\xC3\xA9'; x\"]}]}", "x", 1, "'\xC3\xA9'"),
        "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"s = '\xC3\xA9'; '\xC3\xA9'\"]}]}");
}

static void what_is_masked_stays(void **state)
{
    const char *raw = "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a = 1\"]},"
                      "{\"cell_type\":\"code\",\"source\":[\"%%time\\n\",\"%time b\\n\",\"c\"]}]}";
    assert_string_equal(edited(raw, "time b", 2, ""), "refused");
    assert_string_equal(edited(raw, "%time b", 8, ""), "refused");
    assert_string_equal(edited(raw, "a = 1\n%%", 8, ""), "refused");
    /* what would come before the magic of a cell comes behind the cell before */
    assert_string_equal(edited(raw, "%%time", 0, "z\n"),
                        "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a = 1\\n\", \"z\"]},"
                        "{\"cell_type\":\"code\",\"source\":[\"%%time\\n\",\"%time b\\n\",\"c\"]}]}");
    assert_string_equal(edited(raw, "b", 1, "f()"),
                        "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a = 1\"]},"
                        "{\"cell_type\":\"code\",\"source\":[\"%%time\\n\",\"%time f()\\n\",\"c\"]}]}");
}

static void deleted_neighbours_do_not_meet(void **state)
{
    const struct notebook notebook = good(LIST);
    const struct edit both[] = {{0, 6, S(""), 0}, {6, 14, S(""), 0}};
    const struct edit *written = notebook_edits(&notebook, &arena, both, 2);
    assert_true(written[0].end <= written[1].begin && written[1].begin <= written[1].end);
}

static void places_in_the_file(void **state)
{
    const struct notebook notebook = good("{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n  \"a\\n\",\n"
                                          "  \"\\u00e9\", \"\xC3\xA9\xF0\x9F\x98\x80x\"]}]}");
    const uint32_t x = (uint32_t)(strchr(notebook.original.at, 'x') - notebook.original.at);
    const struct place_in_text place = notebook_file_place(&notebook, x);
    assert_int_equal(place.line, 3);
    assert_int_equal(place.column, 3 + 8 + 1 + 1 + 1 + 3); /* blanks, "\u00e9", comma, blank, quote, two characters */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(code_cells_in_order, clear),
        cmocka_unit_test_teardown(the_third_format_has_worksheets, clear),
        cmocka_unit_test_teardown(what_is_no_notebook, clear),
        cmocka_unit_test_teardown(a_bad_cell_costs_itself, clear),
        cmocka_unit_test_teardown(magics_are_masked, clear),
        cmocka_unit_test_teardown(python_is_not_masked, clear),
        cmocka_unit_test_teardown(a_line_of_a_list, clear),
        cmocka_unit_test_teardown(the_end_of_a_cell, clear),
        cmocka_unit_test_teardown(one_text_stays_one, clear),
        cmocka_unit_test_teardown(escapes_are_those_of_the_file, clear),
        cmocka_unit_test_teardown(what_is_masked_stays, clear),
        cmocka_unit_test_teardown(deleted_neighbours_do_not_meet, clear),
        cmocka_unit_test_teardown(places_in_the_file, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
