/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include <math.h>
#include <stdlib.h>

#include "io/writer.h"
#include "text/csv_writer.h"
#include "text/json_writer.h"

static struct arena arena;
static struct writer *out;
static struct json_writer json;

static int begin(void **state)
{
    out = writer_to_memory();
    json = json_write_begin(out);
    return 0;
}

static int end(void **state)
{
    buf_free(&json.open);
    writer_abandon(out);
    arena_free(&arena);
    return 0;
}

static void expect(const char *text)
{
    json_write_finish(&json);
    assert_string_equal(str_z(&arena, writer_text(out)), text);
}

static void expect_text(str value, const char *written)
{
    json_write_text(&json, value);
    expect(str_printf(&arena, "%s\n", written).at);
    writer_abandon(out);
    begin(NULL);
}

static void empty_brackets_stay_on_their_line(void **state)
{
    json_write_object(&json, JSON_LINES);
    json_write_key(&json, S("none"));
    json_write_array(&json, JSON_LINES);
    json_write_end(&json);
    json_write_end(&json);
    expect("{\n \"none\": []\n}\n");
}

static void members_are_separated_and_indented(void **state)
{
    json_write_object(&json, JSON_LINES);
    json_write_key(&json, S("a"));
    json_write_int(&json, 1);
    json_write_key(&json, S("b"));
    json_write_array(&json, JSON_LINES);
    json_write_null(&json);
    json_write_bool(&json, true);
    json_write_end(&json);
    json_write_key(&json, S("c"));
    json_write_bool(&json, false);
    json_write_end(&json);
    expect("{\n \"a\": 1,\n \"b\": [\n  null,\n  true\n ],\n \"c\": false\n}\n");
}

static void flat_brackets_flatten_what_is_inside(void **state)
{
    json_write_array(&json, JSON_FLAT);
    json_write_object(&json, JSON_LINES);
    json_write_key(&json, S("k"));
    json_write_int(&json, 1);
    json_write_key(&json, S("l"));
    json_write_int(&json, 2);
    json_write_end(&json);
    json_write_array(&json, JSON_LINES);
    json_write_end(&json);
    json_write_end(&json);
    expect("[{\"k\": 1, \"l\": 2}, []]\n");
}

static void deep_nesting_is_no_matter(void **state)
{
    for (int i = 0; i < 10000; i++)
        json_write_array(&json, JSON_LINES);
    for (int i = 0; i < 10000; i++)
        json_write_end(&json);
    json_write_finish(&json);
    assert_true(writer_text(out).len > 20000);
}

static void texts_are_escaped(void **state)
{
    expect_text(S("plain"), "\"plain\"");
    expect_text(S(""), "\"\"");
    expect_text((str){NULL, 0}, "\"\"");
    expect_text(S("\"\\/"), "\"\\\"\\\\/\"");
    expect_text(S("\b\t\n\f\r"), "\"\\b\\t\\n\\f\\r\"");
    expect_text(S("a\0b"), "\"a\\u0000b\"");
    expect_text(S("\v\x1b[31m\x7f"), "\"\\u000b\\u001b[31m\\u007f\"");
    expect_text(S("\xC2\x85"), "\"\\u0085\"");
    expect_text(S("gr\xC3\xB6\xC3\x9F"
                  "e \xE6\x97\xA5 \xF0\x9F\x98\x80"),
                "\"gr\xC3\xB6\xC3\x9F"
                "e \xE6\x97\xA5 \xF0\x9F\x98\x80\"");
}

static void broken_utf8_is_replaced_byte_by_byte(void **state)
{
    expect_text(S("a\xFF"
                  "b"),
                "\"a\xEF\xBF\xBD"
                "b\"");
    expect_text(S("\xC3"), "\"\xEF\xBF\xBD\"");
    expect_text(S("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    expect_text(S("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

static void integers_are_exact(void **state)
{
    json_write_array(&json, JSON_FLAT);
    json_write_int(&json, INT64_MIN);
    json_write_int(&json, INT64_MAX);
    json_write_int(&json, 9007199254740993); /* no double is this number */
    json_write_end(&json);
    expect("[-9223372036854775808, 9223372036854775807, 9007199254740993]\n");
}

static void expect_real(double value, const char *text)
{
    json_write_real(&json, value);
    expect(str_printf(&arena, "%s\n", text).at);
    writer_abandon(out);
    begin(NULL);
}

static void reals_have_the_fewest_digits(void **state)
{
    expect_real(0, "0.0");
    expect_real(-0.0, "-0.0");
    expect_real(3, "3.0");
    expect_real(0.1, "0.1");
    expect_real(1.0 / 3, "0.3333333333333333");
    expect_real(0.1 + 0.2, "0.30000000000000004");
    expect_real(1e300, "1e+300");
    expect_real(5e-324, "4.94065645841247e-324");
    expect_real(NAN, "null");
    expect_real(-INFINITY, "null");
}

/* ---- csv ---- */

static void csv_fields_are_quoted_where_needed(void **state)
{
    struct csv_writer csv = {.out = out};
    csv_text(&csv, S("plain"));
    csv_text(&csv, S("a,b"));
    csv_text(&csv, S("say \"hi\""));
    csv_text(&csv, S("two\nlines"));
    csv_text(&csv, S(" blank"));
    csv_end_line(&csv);
    assert_string_equal(str_z(&arena, writer_text(out)),
                        "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\" blank\"\n");
}

static void csv_holds_no_controls_and_no_formulas(void **state)
{
    struct csv_writer csv = {.out = out};
    csv_text(&csv, S("a\0b\x1b[31m\x7f"));
    csv_text(&csv, S("=1+1"));
    csv_text(&csv, S("@SUM(A1)"));
    csv_text(&csv, S("-rm"));
    csv_text(&csv, S("a=b"));
    csv_int(&csv, -5);
    csv_real(&csv, -0.5);
    csv_end_line(&csv);
    assert_string_equal(str_z(&arena, writer_text(out)), "a\\x00b\\x1b[31m\\x7f,'=1+1,'@SUM(A1),'-rm,a=b,-5,-0.5\n");
}

static void csv_tells_absent_from_empty(void **state)
{
    struct csv_writer csv = {.out = out};
    csv_null(&csv);
    csv_text(&csv, S(""));
    csv_real(&csv, NAN);
    csv_int(&csv, -5);
    csv_real(&csv, 0.5);
    csv_end_line(&csv);
    csv_text(&csv, S("next"));
    csv_end_line(&csv);
    assert_string_equal(str_z(&arena, writer_text(out)), ",\"\",,-5,0.5\nnext\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(empty_brackets_stay_on_their_line),
        CASE(members_are_separated_and_indented),
        CASE(flat_brackets_flatten_what_is_inside),
        CASE(deep_nesting_is_no_matter),
        CASE(texts_are_escaped),
        CASE(broken_utf8_is_replaced_byte_by_byte),
        CASE(integers_are_exact),
        CASE(reals_have_the_fewest_digits),
        CASE(csv_fields_are_quoted_where_needed),
        CASE(csv_holds_no_controls_and_no_formulas),
        CASE(csv_tells_absent_from_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
