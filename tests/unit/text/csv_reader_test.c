/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include "text/csv_reader.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

/* The rows of the text, fields between bars, one row a line. */
static void expect(const char *text, const char *rows)
{
    struct csv_reader reader = csv_reader(str_of(text));
    struct csv_row row;
    str shown = S("");
    while (csv_next(&reader, &arena, &row)) {
        for (uint32_t i = 0; i < row.count; i++)
            shown = str_printf(&arena, "%.*s%s%.*s", (int)shown.len, shown.at, i ? "|" : "", (int)row.fields[i].len,
                               row.fields[i].at);
        shown = str_printf(&arena, "%.*s\n", (int)shown.len, shown.at);
    }
    assert_string_equal(str_z(&arena, shown), rows);
}

static void plain_rows(void **state)
{
    expect("a,b\n1,2\n", "a|b\n1|2\n");
    expect("a,b\r\n1,2", "a|b\n1|2\n");
    expect("", "");
    expect("\n\na\n\n\nb", "a\nb\n");
}

static void empty_fields_are_fields(void **state)
{
    expect(",,\n", "||\n");
    expect("a,\n", "a|\n");
}

static void quotes(void **state)
{
    expect("\"a,b\",c\n", "a,b|c\n");
    expect("\"say \"\"so\"\"\"\n", "say \"so\"\n");
    expect("\"two\nlines\",x\ny\n", "two\nlines|x\ny\n");
    expect("\"one\n\",b,c,d,e,f\n", "one\n|b|c|d|e|f\n");
    expect("\"never closed, 1\n2", "never closed, 1\n2\n");
}

static void a_mark_of_byte_order_is_no_part_of_the_first_name(void **state)
{
    expect("\xEF\xBB\xBFname\n", "name\n");
}

static void columns_are_found_by_name(void **state)
{
    struct csv_reader reader = csv_reader(S("name, bytes\n"));
    struct csv_row row;
    assert_true(csv_next(&reader, &arena, &row));
    assert_int_equal(csv_column(&row, S("bytes")), 1);
    assert_int_equal(csv_column(&row, S("byte")), UINT32_MAX);
    assert_int_equal(csv_field(&row, 7).len, 0);
}

static void lines_are_counted_through_quotes(void **state)
{
    struct csv_reader reader = csv_reader(S("\"a\nb\"\n\nc\n"));
    struct csv_row row;
    assert_true(csv_next(&reader, &arena, &row));
    assert_int_equal(reader.line, 1);
    assert_true(csv_next(&reader, &arena, &row));
    assert_int_equal(reader.line, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(plain_rows, clear),
        cmocka_unit_test_teardown(empty_fields_are_fields, clear),
        cmocka_unit_test_teardown(quotes, clear),
        cmocka_unit_test_teardown(a_mark_of_byte_order_is_no_part_of_the_first_name, clear),
        cmocka_unit_test_teardown(columns_are_found_by_name, clear),
        cmocka_unit_test_teardown(lines_are_counted_through_quotes, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
