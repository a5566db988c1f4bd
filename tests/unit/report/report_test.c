/* SPDX-License-Identifier: Apache-2.0 */
/* The data formats: what they are given, and the document or table that comes of it, letter for letter. */
#include "report_case.h"

#include <math.h>

/* ---- json ---- */

static void an_empty_document_has_every_key(void **state)
{
    expect("json",
           "{\n \"steptime\": {\"version\": \"1.2.3\", \"schema\": 1},\n \"command\": \"demo\",\n \"inputs\": [],\n"
           " \"warnings\": [],\n \"sections\": [],\n \"findings\": []\n}\n");
}

static void json_of_all_there_is(void **state)
{
    report_input(report, (struct report_input){S("a.json"),
                                               S("kineto json"),
                                               10,
                                               200,
                                               0,
                                               1,
                                               {.source = S("graph_launches"),
                                                .name = S("cudaGraphLaunch"),
                                                .count = 31,
                                                .spread = 0.03,
                                                .variation = -1,
                                                .covered = 0.99}});
    report_warning(report, S("a.json"), 17, S("dropped: no \"ph\""));
    report_warning(report, S(""), -1, S("general"));
    struct section *section = report_section(report, "time", "Step time");
    section_text(section, S("only for people"));
    section_value(section, "mean_ns", "mean", UNIT_NS, cell_int(5));
    section_value(section, "mfu", "MFU", UNIT_RATIO, cell_real(NAN));
    struct table *table = section_table(section, "t", "T");
    table_column(table, (struct column_spec){"x", "X", UNIT_NONE, 0, "of a test"});
    table_column(table, (struct column_spec){"y_ns", "Y", UNIT_NS, COLUMN_DETAIL, "of a test"});
    table_row(table);
    table_text(table, S("n"));
    table_real(table, 0.5);
    section_figure(section, "f", FIGURE_STACK, "t", "x", "y_ns");
    const uint32_t events[] = {3, 5};
    report_finding(report, &(struct finding){.id = S("1"),
                                             .rule = S("SM101"),
                                             .severity = SEVERITY_WARNING,
                                             .tier = S("trace"),
                                             .message = S("m"),
                                             .file = S("t.py"),
                                             .line = 3,
                                             .column = 1,
                                             .per_step_host_blocked_ns = -1,
                                             .per_step_saving_ns = 0,
                                             .fix = S("none"),
                                             .events = events,
                                             .event_count = 2});
    expect(
        "json",
        "{\n"
        " \"steptime\": {\"version\": \"1.2.3\", \"schema\": 1},\n"
        " \"command\": \"demo\",\n"
        " \"inputs\": [\n"
        "  {\"path\": \"a.json\", \"format\": \"kineto json\", \"events\": 10, \"bytes\": 200, "
        "\"repaired\": 0, \"dropped\": 1, \"step_source\": \"graph_launches\", \"step_regularity\": {\"name\": \"cudaGraphLaunch\", "
        "\"steps\": 31, \"spread\": 0.03, \"variation\": null, \"covered\": 0.99}}\n"
        " ],\n"
        " \"warnings\": [\n"
        "  {\"path\": \"a.json\", \"offset\": 17, \"message\": \"dropped: no \\\"ph\\\"\"},\n"
        "  {\"path\": null, \"offset\": null, \"message\": \"general\"}\n"
        " ],\n"
        " \"sections\": [\n"
        "  {\n"
        "   \"id\": \"time\",\n"
        "   \"title\": \"Step time\",\n"
        "   \"values\": [\n"
        "    {\"id\": \"mean_ns\", \"value\": 5, \"unit\": \"ns\"},\n"
        "    {\"id\": \"mfu\", \"value\": null, \"unit\": \"ratio\"}\n"
        "   ],\n"
        "   \"tables\": [\n"
        "    {\n"
        "     \"id\": \"t\",\n"
        "     \"columns\": [\n"
        "      {\"id\": \"x\", \"title\": \"X\", \"unit\": null, \"definition\": \"of a test\"},\n"
        "      {\"id\": \"y_ns\", \"title\": \"Y\", \"unit\": \"ns\", \"definition\": \"of a test\"}\n"
        "     ],\n"
        "     \"rows\": [\n"
        "      [\"n\", 0.5]\n"
        "     ]\n"
        "    }\n"
        "   ],\n"
        "   \"figures\": [\n"
        "    {\"id\": \"f\", \"kind\": \"stack\", \"table\": \"t\", \"x\": \"x\", \"y\": \"y_ns\"}\n"
        "   ]\n"
        "  }\n"
        " ],\n"
        " \"findings\": [\n"
        "  {\n"
        "   \"id\": \"1\",\n"
        "   \"rule\": \"SM101\",\n"
        "   \"severity\": \"warning\",\n"
        "   \"tier\": \"trace\",\n"
        "   \"message\": \"m\",\n"
        "   \"file\": \"t.py\",\n"
        "   \"cell\": null,\n"
        "   \"line\": 3,\n"
        "   \"column\": 1,\n"
        "   \"end_line\": null,\n"
        "   \"end_column\": null,\n"
        "   \"per_step_host_blocked_ns\": null,\n"
        "   \"per_step_saving_ns\": 0,\n"
        "   \"fix\": \"none\",\n"
        "   \"places\": null,\n"
        "   \"edits\": null,\n"
        "   \"events\": [3, 5],\n"
        "   \"proof\": null\n"
        "  }\n"
        " ]\n"
        "}\n");
}

static void json_of_one_table_leaves_the_others_out(void **state)
{
    two_kernels();
    section_table(report_section(report, "rest", "Rest"), "other", "Other");
    options.table = S("other");
    const char *text = rendered("json");
    assert_non_null(strstr(text, "\"other\""));
    assert_null(strstr(text, "\"kernels\""));
    assert_non_null(strstr(text, "\"findings\": []"));
}

/* ---- csv ---- */

static void csv_of_the_only_table(void **state)
{
    two_kernels();
    expect("csv", "name,calls,total_ns,share,grid\n"
                  "ampere_sgemm_128x64_nn,12345,103400000,0.75,\n"
                  "\"void at::native::vectorized_elementwise_kernel<4, Fill>()\",7,1230000,0.25,\n");
}

static void csv_of_several_tables_wants_a_name(void **state)
{
    expect_failure("csv", "there is no table to write as csv");
    two_kernels();
    section_table(report_section(report, "rest", "Rest"), "other", "Other");
    expect_failure("csv", "csv holds one table; choose with --table one of kernels, other");
    options.table = S("kernels");
    assert_true(str_starts(str_of(rendered("csv")), S("name,calls")));
}

static void unknown_names_are_refused(void **state)
{
    two_kernels();
    expect_failure("xml", "unknown format 'xml'");
    options.table = S("nonsense");
    expect_failure("json", "no table 'nonsense'; the tables are kernels");
}

/* What wrapped or overflowed is never shown as a number; which figure it was is told once. */
static void what_is_beyond_a_number_is_refused_by_name(void **state)
{
    struct section *section = report_section(report, "time", "Step time");
    section_value(section, "mean_ns", "mean", UNIT_NS, cell_int(INT64_MAX));
    section_value(section, "number", "a name", UNIT_NONE, cell_int(INT64_MAX));
    section_value(section, "unknown", "unknown", UNIT_RATIO, cell_real(NAN));
    struct table *table = section_table(section, "t", "T");
    table_column(table, (struct column_spec){"share", "X", UNIT_RATIO, 0, "of a test"});
    table_column(table, (struct column_spec){"y_ns", "Y", UNIT_NS, 0, "of a test"});
    for (int i = 0; i < 3; i++) {
        table_row(table);
        table_real(table, i ? INFINITY : 0.5);
        table_cell(table, cell_rounded(i ? -1e30 : 2.5));
    }
    struct arena scratch = {0};
    const char *const told[] = {"mean_ns", "share", "y_ns"};
    assert_int_equal(report_warning_count(report), 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(str_starts(report_warning_line(report, i, &scratch),
                               str_printf(&scratch, "%s is left out: it is beyond", told[i])));
    arena_free(&scratch);
    assert_non_null(strstr(rendered("json"), "\"rows\": [\n      [0.5, 3],\n      [null, null],\n      [null, null]"));
    assert_non_null(strstr(rendered("json"), "{\"id\": \"mean_ns\", \"value\": null, \"unit\": \"ns\"}"));
    assert_non_null(strstr(rendered("json"), "{\"id\": \"number\", \"value\": 9223372036854775807, \"unit\": null}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_empty_document_has_every_key),
        CASE(json_of_all_there_is),
        CASE(json_of_one_table_leaves_the_others_out),
        CASE(csv_of_the_only_table),
        CASE(csv_of_several_tables_wants_a_name),
        CASE(unknown_names_are_refused),
        CASE(what_is_beyond_a_number_is_refused_by_name),
        CASE(unknown_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
