/* SPDX-License-Identifier: Apache-2.0 */
/* Rows below 0.1 % of what they are parts of: one for people, all of them for programs. */
#include "report_case.h"

static struct table *parts(unsigned flags)
{
    struct table *table = section_table(report_section(report, "top", "Top"), "parts", "Parts");
    table_column(table, (struct column_spec){"name", "part", UNIT_NONE, COLUMN_WIDE, "of a test"});
    table_column(table, (struct column_spec){"calls", "calls", UNIT_COUNT, COLUMN_SUM, "of a test"});
    table_column(table, (struct column_spec){"most", "most", UNIT_COUNT, 0, "of a test"});
    table_column(table, (struct column_spec){"share", "share", UNIT_RATIO, flags, "of a test"});
    options.width = 60;
    options.rows = 20;
    return table;
}

static void part(struct table *table, const char *name, int64_t calls, double share)
{
    table_row(table);
    table_text(table, str_of(name));
    table_int(table, calls);
    table_int(table, calls);
    table_real(table, share);
}

/* Of four the second and the last are small. */
static struct table *four(unsigned flags)
{
    struct table *table = parts(flags);
    part(table, "large", 1, 0.7);
    part(table, "small_a", 10, 0.0004);
    part(table, "middle", 2, 0.2);
    part(table, "small_b", 30, 0.0002);
    return table;
}

static const char *screen(void)
{
    const char *text = rendered("term");
    return strstr(text, "part");
}

static void small_rows_are_one_that_has_their_sum(void **state)
{
    four(COLUMN_PART);
    assert_string_equal(screen(), "part                  calls  most  share\n"
                                  "  ----------------------------------------\n"
                                  "  large                     1     1  70.0%\n"
                                  "  middle                    2     2  20.0%\n"
                                  "  2 others below 0.1 %     40         0.1%\n"
                                  "\n"
                                  "  --rows 0 shows the rows below 0.1 %, too.\n");
    assert_non_null(strstr(rendered("markdown"), "| 2 others below 0.1 % | 40 |  | 0.1% |\n"));
    assert_non_null(strstr(rendered("html"), "<tfoot><tr><td class=\"w\">2 others below 0.1 %</td>"));
}

static void programs_have_them_all(void **state)
{
    four(COLUMN_PART);
    assert_non_null(strstr(rendered("json"), "small_a"));
    options.table = S("parts");
    assert_non_null(strstr(rendered("csv"), "small_a,10,10,0.0004\n"));
}

static void people_have_them_all_where_they_ask(void **state)
{
    four(COLUMN_PART);
    options.rows = 0;
    assert_non_null(strstr(screen(), "small_b"));
    assert_null(strstr(screen(), "others"));
}

static void a_column_that_is_no_part_folds_nothing(void **state)
{
    four(COLUMN_BAR);
    assert_non_null(strstr(screen(), "small_b"));
}

static void one_alone_stays(void **state)
{
    struct table *table = parts(COLUMN_PART);
    part(table, "large", 1, 0.7);
    part(table, "small_a", 10, 0.0004);
    assert_non_null(strstr(screen(), "small_a"));
}

static void where_all_are_small_all_stay(void **state)
{
    struct table *table = parts(COLUMN_PART);
    part(table, "small_a", 10, 0.0004);
    part(table, "small_b", 10, 0.0004);
    assert_non_null(strstr(screen(), "small_b"));
}

static void what_the_report_names_stays(void **state)
{
    struct table *table = four(COLUMN_PART);
    part(table, "small_c", 1, 0);
    section_text(report_section(report, "top", "Top"), S("It waits in small_b."));
    report_finding(report, &(struct finding){.id = S("F1"),
                                             .rule = S("X1"),
                                             .message = S("see small_abc"),
                                             .per_step_saving_ns = -1,
                                             .per_step_host_blocked_ns = -1});
    assert_non_null(strstr(screen(), "  small_b "));
    assert_null(strstr(screen(), "small_a "));
    report_finding(report, &(struct finding){.id = S("F2"),
                                             .rule = S("X1"),
                                             .message = S("small_a does"),
                                             .per_step_saving_ns = -1,
                                             .per_step_host_blocked_ns = -1});
    assert_non_null(strstr(screen(), "  small_a ")); /* and small_c alone is no others */
    assert_non_null(strstr(screen(), "  small_c "));
}

static void shares_of_several_wholes_have_no_sum(void **state)
{
    table_several_wholes(four(COLUMN_PART));
    assert_non_null(strstr(screen(), "  2 others below 0.1 %     40\n"));
}

static void a_whole_may_be_given_or_be_the_sum(void **state)
{
    struct table *table = section_table(report_section(report, "top", "Top"), "parts", "Parts");
    table_column(table, (struct column_spec){"name", "part", UNIT_NONE, COLUMN_WIDE, "of a test"});
    table_column(table, (struct column_spec){"ns", "time", UNIT_NS, COLUMN_PART, "of a test"});
    const int64_t times[] = {5000, 4, -4, 0};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        table_row(table);
        table_text(table, S("row"));
        table_int(table, times[i]);
    }
    options.rows = 20;
    assert_non_null(strstr(screen(), "3 others below 0.1 %"));
    table_whole(table, 1000, S("the change"));
    assert_null(strstr(screen(), "others"));
    table_whole(table, 10000, S("the change"));
    assert_non_null(strstr(screen(), "others: each below 0.1 % of the change"));
}

static void behind_rows_that_are_hidden_there_is_none(void **state)
{
    four(COLUMN_PART);
    options.rows = 1;
    assert_null(strstr(screen(), "others"));
    assert_non_null(strstr(screen(), "3 more rows; --rows 0 shows all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(small_rows_are_one_that_has_their_sum),
        CASE(programs_have_them_all),
        CASE(people_have_them_all_where_they_ask),
        CASE(a_column_that_is_no_part_folds_nothing),
        CASE(one_alone_stays),
        CASE(where_all_are_small_all_stay),
        CASE(what_the_report_names_stays),
        CASE(shares_of_several_wholes_have_no_sum),
        CASE(a_whole_may_be_given_or_be_the_sum),
        CASE(behind_rows_that_are_hidden_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
