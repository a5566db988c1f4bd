/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of every kind on the page: balanced markup, escaped names, round axes, whatever the numbers. */
#include "unit/cmocka_first.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "io/writer.h"
#include "report/report.h"
#include "steptime/error.h"

static struct arena arena;
static struct report *report;

static int begin(void **state)
{
    report = report_new(&arena, S("demo"));
    return 0;
}

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static str rendered(void)
{
    const struct render_options options = {.rows = 20, .version = S("1")};
    struct writer *out = writer_to_memory();
    struct steptime_error err = {0};
    if (!report_render(report, S("html"), &options, out, &err))
        fail_msg("%s", err.message);
    const str text = str_copy(&arena, writer_text(out));
    writer_abandon(out);
    return text;
}

static uint32_t count_of(str text, const char *part)
{
    uint32_t count = 0;
    const size_t len = strlen(part);
    for (const char *at = text.at; (at = memmem(at, (size_t)(text.at + text.len - at), part, len)); at += len)
        count++;
    return count;
}

/* Tags close in the order in which they opened; style and script apart, which hold no tags. */
static void assert_balanced(str text)
{
    enum { DEEPEST = 64 };
    str open[DEEPEST];
    uint32_t depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] != '<' || text.at[i + 1] == '!')
            continue;
        const bool closes = text.at[i + 1] == '/';
        const size_t from = i + 1 + closes;
        size_t to = from;
        while (isalnum((unsigned char)text.at[to]))
            to++;
        const str name = {text.at + from, to - from};
        while (text.at[to] != '>')
            to++;
        if (closes)
            assert_true(depth && str_eq(open[--depth], name));
        else if (text.at[to - 1] != '/')
            open[depth++] = name;
        assert_true(depth < DEEPEST);
        i = to;
        if (!closes && (str_eq(name, S("style")) || str_eq(name, S("script"))))
            while (text.at[i + 1] != '<' || text.at[i + 2] != '/')
                i++;
    }
    assert_int_equal(depth, 0);
}

/* ---- documents ---- */

static struct section *numbers(enum figure_kind kind, const double *values, uint32_t count, enum unit unit)
{
    struct section *section = report_section(report, "s", "Section");
    struct table *table = section_table(section, "t", "Table");
    table_column(table, (struct column_spec){"x", "x <axis>", UNIT_NONE, 0, "of a test"});
    table_column(table, (struct column_spec){"y", "y & more", unit, 0, "of a test"});
    for (uint32_t i = 0; i < count; i++) {
        table_row(table);
        table_text(table, S("a name with <b>markup</b> & \"quotes\" that is rather long"));
        table_real(table, values[i]);
    }
    section_figure(section, "f", kind, "t", "x", "y");
    return section;
}

static void every_kind_of_any_numbers(void **state)
{
    static const double series[][5] = {
        {1, 2, 3, 4, 5},
        {0, 0, 0, 0, 0},
        {-5, 3, 0, 1e-9, 2},
        {1e18, 1, 1e-18, 5, 7},
        {NAN, INFINITY, 3, NAN, 4},
        {NAN, NAN, NAN, NAN, NAN},
        {5e-324, 1.7e308, -1.7e308, 0, 1},
    };
    static const enum unit units[] = {UNIT_NS, UNIT_BYTES, UNIT_RATIO, UNIT_NONE, UNIT_FLOP_PER_S};
    for (int kind = FIGURE_BAR; kind <= FIGURE_ROOFLINE; kind++)
        for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
            report = report_new(&arena, S("demo"));
            numbers((enum figure_kind)kind, series[i], 5, units[i % 5]);
            const str text = rendered();
            assert_balanced(text);
            assert_int_equal(count_of(text, "<b>markup"), 0);
            assert_int_equal(count_of(text, "nan"), 0);
            assert_int_equal(count_of(text, "\"inf"), 0);
        }
}

static void a_single_point_and_none(void **state)
{
    static const double one[] = {42};
    for (int kind = FIGURE_BAR; kind <= FIGURE_CDF; kind++)
        for (uint32_t count = 0; count < 2; count++) {
            report = report_new(&arena, S("demo"));
            numbers((enum figure_kind)kind, one, count, UNIT_MS);
            const str text = rendered();
            assert_balanced(text);
            assert_int_equal(count_of(text, "<svg"), 2 * count); /* for windows and for telephones */
        }
}

/* Powers of ten with few numbers between, and hostile numbers among them. */
static void a_roofline_has_a_mark_a_row(void **state)
{
    static const double rows[][5] = {{0.1, 1e9, 1e12, 1e11, 50}, {100, 5e11, 1e12, 1e11, 10},
                                     {1, 1e10, 0, 1e11, 5},      {5e-324, 1e300, 1e12, 1e11, 1},
                                     {NAN, 1e9, 1e12, 1e11, 1},  {-1, 1e9, 1e12, 1e11, 1}};
    struct section *section = report_section(report, "s", "Section");
    struct table *table = section_table(section, "t", "");
    table_column(table, (struct column_spec){"name", "name", UNIT_NONE, 0, "of a test"});
    table_column(table, (struct column_spec){"x", "x", UNIT_NONE, 0, "of a test"});
    table_column(table, (struct column_spec){"y", "y", UNIT_FLOP_PER_S, 0, "of a test"});
    table_column(table, (struct column_spec){"peak", "peak", UNIT_FLOP_PER_S, 0, "of a test"});
    table_column(table, (struct column_spec){"memory", "memory", UNIT_BYTES_PER_S, 0, "of a test"});
    table_column(table, (struct column_spec){"ns", "ns", UNIT_NS, 0, "of a test"});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table_row(table);
        table_text(table, S("<b>markup"));
        for (int k = 0; k < 5; k++)
            table_real(table, rows[i][k]);
    }
    section_figure(section, "f", FIGURE_ROOFLINE, "t", "x", "y");
    const str text = rendered();
    assert_balanced(text);
    assert_int_equal(count_of(text, "<b>markup"), 0);
    assert_int_equal(count_of(text, "nan"), 0);
    assert_int_equal(count_of(text, "\"inf"), 0);
    /* Each in both drawings. Left of the ridge at 10 is a ring; the last is what 1e-30 stands for. */
    assert_int_equal(count_of(text, "class=\"ring\""), 4);
    assert_int_equal(count_of(text, "class=\"disc\""), 2);
    assert_int_equal(count_of(text, "class=\"unroofed\""), 2);
    assert_int_equal(count_of(text, "class=\"line roof\""), 2);
}

/* Roofs that lie close have one label; of dots that lie on each other as many have a name as there are places beside them. */
static void labels_of_a_roofline_keep_off_each_other(void **state)
{
    static const double peaks[] = {1.0e14, 1.1e14, 1.2e14, 1e12};
    struct section *section = report_section(report, "s", "Section");
    struct table *table = section_table(section, "t", "");
    const char *const columns[] = {"x", "y", "peak", "memory", "ns"};
    table_column(table, (struct column_spec){"name", "name", UNIT_NONE, 0, "of a test"});
    for (int k = 0; k < 5; k++)
        table_column(
            table, (struct column_spec){columns[k], columns[k], k == 0 ? UNIT_NONE : UNIT_FLOP_PER_S, 0, "of a test"});
    for (int i = 0; i < 12; i++) {
        table_row(table);
        table_text(table, S("same_place"));
        table_real(table, 50);
        table_real(table, 5e11);
        table_real(table, peaks[i % 4]);
        table_real(table, 1e12);
        table_real(table, 100);
    }
    section_figure(section, "f", FIGURE_ROOFLINE, "t", "x", "y");
    const str text = rendered();
    assert_int_equal(count_of(text, ">100.0 TFLOP/s to 120.0 TFLOP/s</text>"), 2);
    assert_int_equal(count_of(text, ">1.000 TFLOP/s</text>"), 2);
    assert_in_range(count_of(text, ">same_place</text>"), 4, 8);
}

/* Where a label stands, in the drawing. */
static double label_at(str text, const char *label)
{
    const char *at = memmem(text.at, text.len, label, strlen(label));
    assert_non_null(at);
    while (strncmp(at, " x=\"", 4) != 0)
        at--;
    return strtod(at + 4, NULL);
}

static double middle_of_three(const int64_t *x, int count, const char *first, const char *between, const char *last)
{
    report = report_new(&arena, S("demo"));
    struct section *section = report_section(report, "s", "Section");
    struct table *table = section_table(section, "t", "");
    table_column(table, (struct column_spec){"x", "x", UNIT_COUNT, 0, "of a test"});
    table_column(table, (struct column_spec){"y", "y", UNIT_US, 0, "of a test"});
    for (int i = 0; i < count; i++) {
        table_row(table);
        table_int(table, x[i]);
        table_real(table, 700);
    }
    section_figure(section, "f", FIGURE_LINE, "t", "x", "y");
    const str text = rendered();
    const double from = label_at(text, first), to = label_at(text, last);
    return (label_at(text, between) - from) / (to - from);
}

static void steps_are_even_and_batches_on_a_logarithm(void **state)
{
    const int64_t batches[] = {1, 4, 16, 64, 256}, steps[] = {2, 22, 42, 62, 82};
    assert_true(fabs(middle_of_three(batches, 5, ">1<", ">16<", ">256<") - 0.5) < 0.01);
    assert_true(fabs(middle_of_three(steps, 5, ">2<", ">42<", ">82<") - 0.5) < 0.01);
}

static void lines_over_one_axis_share_a_chart(void **state)
{
    struct section *section = report_section(report, "s", "Section");
    struct table *table = section_table(section, "t", "");
    table_column(table, (struct column_spec){"batch", "batch", UNIT_COUNT, 0, "of a test"});
    table_column(table, (struct column_spec){"step_us", "step", UNIT_US, 0, "of a test"});
    table_column(table, (struct column_spec){"host_us", "host", UNIT_US, 0, "of a test"});
    table_column(table, (struct column_spec){"share", "share", UNIT_RATIO, 0, "of a test"});
    for (int64_t batch = 512; batch <= 16384; batch *= 2) {
        table_row(table);
        table_int(table, batch);
        table_real(table, (double)batch);
        table_real(table, 700);
        table_real(table, 0.5);
    }
    section_figure(section, "a", FIGURE_LINE, "t", "batch", "step_us");
    section_figure(section, "b", FIGURE_LINE, "t", "batch", "host_us");
    section_figure(section, "c", FIGURE_LINE, "t", "batch", "share");
    const str text = rendered();
    assert_balanced(text);
    assert_int_equal(count_of(text, "<svg class=\"wide\""), 2); /* shares have another axis */
    assert_int_equal(count_of(text, "<svg class=\"narrow\""), 2);
    assert_int_equal(count_of(text, "class=\"line\""), 6);
    assert_in_range(count_of(text, ">16,384<"), 3, 5); /* below each wide chart, and in the table */
}

/* So many spans, one behind the other, on so many lanes in turn. */
static str spans_on_lanes(int spans, int lanes)
{
    struct section *section = report_section(report, "s", "Section");
    struct table *table = section_table(section, "t", "Streams");
    table_column(table, (struct column_spec){"lane", "lane", UNIT_NONE, 0, "of a test"});
    table_column(table, (struct column_spec){"begin_ns", "time", UNIT_NS, 0, "of a test"});
    table_column(table, (struct column_spec){"end_ns", "end", UNIT_NS, 0, "of a test"});
    table_column(table, (struct column_spec){"what", "what", UNIT_NONE, 0, "of a test"});
    for (int i = 0; i < spans; i++) {
        table_row(table);
        table_text(table, str_printf(&arena, "stream %d", i % lanes));
        table_int(table, 1000 * i);
        table_int(table, 1000 * i + 900);
        table_text(table, i % 3 ? S("gemm") : S("copy"));
    }
    section_figure(section, "lanes", FIGURE_LANES, "t", "lane", "begin_ns");
    return rendered();
}

static void spans_lie_on_their_lanes(void **state)
{
    const str text = spans_on_lanes(6, 2);
    assert_balanced(text);
    assert_int_equal(count_of(text, "class=\"span\""), 6);
    assert_int_equal(count_of(text, "y=\"14\""), 3);
    assert_int_equal(count_of(text, "y=\"44\""), 3);
    assert_int_equal(count_of(text, "are drawn)"), 0);
}

static void what_is_not_drawn_of_many_spans_is_told(void **state)
{
    const str text = spans_on_lanes(4100, 41);
    assert_balanced(text);
    assert_int_equal(count_of(text, "class=\"span\""), 3903); /* of the first 4,000 those on the first 40 lanes */
    assert_true(count_of(text, "(of 4100 spans on 41 lanes at most 4000 and 40 are drawn)") > 0);
}

static void many_points_are_thinned(void **state)
{
    enum { POINTS = 20000 };
    double *values = arena_array(&arena, POINTS, sizeof *values);
    for (int i = 0; i < POINTS; i++)
        values[i] = i % 997;
    values[POINTS / 2] = 5000; /* the slow one stays */
    numbers(FIGURE_LINE, values, POINTS, UNIT_NS);
    const str text = rendered();
    assert_balanced(text);
    const char *path = memmem(text.at, text.len, "<path", 5);
    assert_true(path && (size_t)(strchr(path, '>') - path) < 30000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_any_numbers, begin, end),
        cmocka_unit_test_setup_teardown(a_single_point_and_none, begin, end),
        cmocka_unit_test_setup_teardown(a_roofline_has_a_mark_a_row, begin, end),
        cmocka_unit_test_setup_teardown(labels_of_a_roofline_keep_off_each_other, begin, end),
        cmocka_unit_test_setup_teardown(steps_are_even_and_batches_on_a_logarithm, begin, end),
        cmocka_unit_test_setup_teardown(lines_over_one_axis_share_a_chart, begin, end),
        cmocka_unit_test_setup_teardown(spans_lie_on_their_lanes, begin, end),
        cmocka_unit_test_setup_teardown(what_is_not_drawn_of_many_spans_is_told, begin, end),
        cmocka_unit_test_setup_teardown(many_points_are_thinned, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
