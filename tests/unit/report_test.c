/* SPDX-License-Identifier: Apache-2.0 */
/* Renderers: what they are given, and the screen, document or table that comes of it, letter for letter. */
#include "cmocka_first.h"

#include <math.h>

#include "io/writer.h"
#include "report/glyph.h"
#include "report/measure.h"
#include "report/report.h"
#include "steptime/error.h"

static struct arena arena;
static struct report *report;
static struct render_options options;

static int begin(void **state)
{
    report = report_new(&arena, S("demo"));
    options = (struct render_options){.width = 60, .version = S("1.2.3")};
    return 0;
}

static int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static const char *rendered(const char *format)
{
    struct writer *out = writer_to_memory();
    struct steptime_error err = {0};
    if (!report_render(report, str_of(format), &options, out, &err))
        fail_msg("%s", err.message);
    const char *text = str_z(&arena, writer_text(out));
    writer_abandon(out);
    return text;
}

static void expect(const char *format, const char *text)
{
    assert_string_equal(rendered(format), text);
}

static void expect_failure(const char *format, const char *message)
{
    struct writer *out = writer_to_memory();
    struct steptime_error err = {0};
    assert_false(report_render(report, str_of(format), &options, out, &err));
    assert_int_equal(err.code, STEPTIME_USAGE);
    assert_string_equal(err.message, message);
    writer_abandon(out);
}

/* ---- documents ---- */

static struct table *kernels(void)
{
    struct table *table = section_table(report_section(report, "top", "Top"), "kernels", "Kernels");
    table_column(table, "name", "kernel", UNIT_NONE, COLUMN_WIDE);
    table_column(table, "calls", "calls", UNIT_COUNT, 0);
    table_column(table, "total_ns", "total", UNIT_NS, 0);
    table_column(table, "share", "share", UNIT_RATIO, COLUMN_BAR);
    table_column(table, "grid", "grid", UNIT_NONE, COLUMN_DETAIL);
    return table;
}

static void kernel(struct table *table, str name, int64_t calls, int64_t total_ns, double share)
{
    table_row(table);
    table_text(table, name);
    table_int(table, calls);
    table_int(table, total_ns);
    table_real(table, share);
    table_null(table);
}

static void two_kernels(void)
{
    struct table *table = kernels();
    kernel(table, S("ampere_sgemm_128x64_nn"), 12345, 103400000, 0.75);
    kernel(table, S("void at::native::vectorized_elementwise_kernel<4, Fill>()"), 7, 1230000, 0.25);
}

/* ---- json ---- */

static void an_empty_document_has_every_key(void **state)
{
    expect("json",
           "{\n \"steptime\": {\"version\": \"1.2.3\", \"schema\": 1},\n \"command\": \"demo\",\n \"inputs\": [],\n"
           " \"warnings\": [],\n \"sections\": [],\n \"findings\": []\n}\n");
}

static void json_of_all_there_is(void **state)
{
    report_input(report, (struct report_input){S("a.json"), S("kineto json"), 10, 200, 0, 1});
    report_warning(report, S("a.json"), 17, S("dropped: no \"ph\""));
    report_warning(report, S(""), -1, S("general"));
    struct section *section = report_section(report, "time", "Step time");
    section_text(section, S("only for people"));
    section_value(section, "mean_ns", "mean", UNIT_NS, cell_int(5));
    section_value(section, "mfu", "MFU", UNIT_RATIO, cell_real(NAN));
    struct table *table = section_table(section, "t", "T");
    table_column(table, "x", "X", UNIT_NONE, 0);
    table_column(table, "y_ns", "Y", UNIT_NS, COLUMN_DETAIL);
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
    expect("json", "{\n"
                   " \"steptime\": {\"version\": \"1.2.3\", \"schema\": 1},\n"
                   " \"command\": \"demo\",\n"
                   " \"inputs\": [\n"
                   "  {\"path\": \"a.json\", \"format\": \"kineto json\", \"events\": 10, \"bytes\": 200, "
                   "\"repaired\": 0, \"dropped\": 1}\n"
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
                   "      {\"id\": \"x\", \"title\": \"X\", \"unit\": null},\n"
                   "      {\"id\": \"y_ns\", \"title\": \"Y\", \"unit\": \"ns\"}\n"
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
                   "   \"line\": 3,\n"
                   "   \"column\": 1,\n"
                   "   \"end_line\": null,\n"
                   "   \"end_column\": null,\n"
                   "   \"per_step_host_blocked_ns\": null,\n"
                   "   \"per_step_saving_ns\": 0,\n"
                   "   \"fix\": \"none\",\n"
                   "   \"events\": [3, 5]\n"
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
    assert_true(report_knows_format(S("csv")));
    assert_false(report_knows_format(S("xml")));
}

/* ---- terminal ---- */

/* The screen of one table, without its head. */
static void expect_table(unsigned width, const char *text)
{
    options.width = width;
    options.table = S("kernels");
    expect("term", text);
}

static void a_table_lines_up(void **state)
{
    two_kernels();
    expect_table(100,
                 "  Kernels\n"
                 "                                                                     total\n"
                 "  kernel                                                      calls   (ms)  share           grid\n"
                 "  ----------------------------------------------------------------------------------------------\n"
                 "  ampere_sgemm_128x64_nn                                     12,345  103.4  75.0% ########  -\n"
                 "  void at::native::vectorized_elementwise_kernel<4, Fill>()       7    1.2  25.0% ###       -\n");
}

static void a_narrow_table_shortens_names_in_the_middle(void **state)
{
    two_kernels();
    expect_table(60, "  Kernels\n"
                     "                                 total\n"
                     "  kernel                  calls   (ms)  share           grid\n"
                     "  ----------------------------------------------------------\n"
                     "  ampere_sgemm...x64_nn  12,345  103.4  75.0% ########  -\n"
                     "  void at::nat...ill>()       7    1.2  25.0% ###       -\n");
}

static void a_very_narrow_table_says_which_columns_are_missing(void **state)
{
    two_kernels();
    expect_table(34, "  Kernels\n"
                     "                             total\n"
                     "  kernel              calls   (ms)\n"
                     "  --------------------------------\n"
                     "  ampere_sge...4_nn  12,345  103.4\n"
                     "  void at::n...l>()       7    1.2\n"
                     "  too narrow for: share, grid\n");
}

static void a_column_has_one_unit(void **state)
{
    struct table *table = kernels();
    kernel(table, S("long"), 1, 2500000000, 1);
    kernel(table, S("short"), 1, 300, 0);
    kernel(table, S("none"), 0, 0, 0);
    expect_table(80, "  Kernels\n"
                     "  kernel  calls  total (s)   share           grid\n"
                     "  -----------------------------------------------\n"
                     "  long        1      2.500  100.0% ########  -\n"
                     "  short       1     <0.001      0%           -\n"
                     "  none        0          0      0%           -\n");
}

static void sizes_far_apart_have_units_of_their_own(void **state)
{
    struct table *table = section_table(report_section(report, "top", "Top"), "kernels", "");
    table_column(table, "bytes", "size", UNIT_BYTES, 0);
    const int64_t sizes[] = {48, 4096, 1572864, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        table_row(table);
        table_int(table, sizes[i]);
    }
    expect_table(80, "      size\n"
                     "  --------\n"
                     "      48 B\n"
                     "  4.00 KiB\n"
                     "  1.50 MiB\n"
                     "       0 B\n");
}

static void headings_take_as_few_lines_as_fit(void **state)
{
    struct table *table = section_table(report_section(report, "top", "Top"), "kernels", "");
    table_column(table, "a", "time in all steps", UNIT_NS, 0);
    table_column(table, "b", "longest of one step", UNIT_NS, 0);
    table_row(table);
    table_int(table, 1);
    table_int(table, 2);
    expect_table(80, "  time in all steps (ns)  longest of one step (ns)\n"
                     "  ------------------------------------------------\n"
                     "                       1                         2\n");
    expect_table(28, "  time in all     longest of\n"
                     "   steps (ns)  one step (ns)\n"
                     "  --------------------------\n"
                     "            1              2\n");
    expect_table(20, "  time in all\n"
                     "   steps (ns)\n"
                     "  -----------\n"
                     "            1\n"
                     "  too narrow for:\n"
                     "  longest of one step\n");
}

static void columns_with_nothing_in_them_are_left_out(void **state)
{
    struct table *table = section_table(report_section(report, "top", "Top"), "kernels", "Kernels");
    table_column(table, "a", "a", UNIT_NONE, 0);
    table_column(table, "empty", "empty", UNIT_NONE, COLUMN_WIDE);
    table_column(table, "absent", "absent", UNIT_NS, 0);
    table_row(table);
    table_int(table, 1);
    table_text(table, S(""));
    table_null(table);
    expect("term", "steptime demo\n"
                   "\n"
                   "-- Top -----------------------------------------------------\n"
                   "  Kernels\n"
                   "  a\n"
                   "  -\n"
                   "  1\n");
}

static void absent_numbers_are_dashes(void **state)
{
    struct table *table = kernels();
    table_row(table);
    table_text(table, S("gemm"));
    table_null(table);
    table_int(table, 12);
    table_real(table, NAN);
    table_text(table, S("[1, 1]"));
    expect_table(80, "  Kernels\n"
                     "  kernel  calls  total (ns)  share  grid\n"
                     "  ----------------------------------------\n"
                     "  gemm        -          12      -  [1, 1]\n");
}

static void a_table_without_rows_says_so(void **state)
{
    kernels();
    expect_table(80, "  Kernels\n"
                     "  kernel  calls  total (ns)  share  grid\n"
                     "  --------------------------------------\n"
                     "  none\n");
}

static void rows_beyond_the_limit_are_counted(void **state)
{
    struct table *table = kernels();
    for (int i = 0; i < 5; i++)
        kernel(table, S("k"), i, i, 0);
    options.rows = 2;
    expect_table(80, "  Kernels\n"
                     "  kernel  calls  total (ns)  share  grid\n"
                     "  --------------------------------------\n"
                     "  k           0           0     0%  -\n"
                     "  k           1           1     0%  -\n"
                     "  3 more rows; --rows 0 shows all\n");
}

static void names_cannot_drive_the_terminal(void **state)
{
    struct table *table = kernels();
    kernel(table, S("\033[2Jgone\n\x9B\xFF"), 1, 1, 1);
    expect_table(80, "  Kernels\n"
                     "  kernel                 calls  total (ns)   share           grid\n"
                     "  ---------------------------------------------------------------\n"
                     "  \\x1b[2Jgone\\n\\x9b\\xff      1           1  100.0% ########  -\n");
}

static void wide_characters_take_two_columns(void **state)
{
    struct table *table = kernels();
    kernel(table, S("\xE6\xA0\xB8\xE5\x87\xBD\xE6\x95\xB0"), 1, 1, 1);
    kernel(table, S("kernel"), 1, 1, 1);
    expect_table(80, "  Kernels\n"
                     "  kernel  calls  total (ns)   share           grid\n"
                     "  ------------------------------------------------\n"
                     "  核函数      1           1  100.0% ########  -\n"
                     "  kernel      1           1  100.0% ########  -\n");
}

static void bars_and_rules_where_the_terminal_has_them(void **state)
{
    two_kernels();
    options.unicode = true;
    expect_table(100,
                 "  Kernels\n"
                 "                                                                     total\n"
                 "  kernel                                                      calls   (ms)  share           grid\n"
                 "  ──────────────────────────────────────────────────────────────────────────────────────────────\n"
                 "  ampere_sgemm_128x64_nn                                     12,345  103.4  75.0% ████████  -\n"
                 "  void at::native::vectorized_elementwise_kernel<4, Fill>()       7    1.2  25.0% ██▋       -\n");
}

static void colours_where_asked_for(void **state)
{
    two_kernels();
    options.colour = true;
    expect_table(
        100,
        "  \033[1mKernels\033[0m\n"
        "                                                                     \033[2mtotal\033[0m\n"
        "  \033[2mkernel\033[0m                                                      \033[2mcalls\033[0m   "
        "\033[2m(ms)\033[0m  \033[2mshare\033[0m           \033[2mgrid\033[0m\n"
        "  "
        "\033[2m----------------------------------------------------------------------------------------------\033[0m\n"
        "  ampere_sgemm_128x64_nn                                     12,345  103.4  75.0% \033[34m########\033[0m  -\n"
        "  void at::native::vectorized_elementwise_kernel<4, Fill>()       7    1.2  25.0% \033[34m###\033[0m       "
        "-\n");
}

static struct table *parts_of(const char *title)
{
    struct section *section = report_section(report, "step", title);
    struct table *table = section_table(section, "parts", "What the step is made of");
    table_column(table, "part", "part", UNIT_NONE, 0);
    table_column(table, "wall_ns", "time", UNIT_NS, 0);
    const struct {
        const char *name;
        int64_t ns;
    } parts[] = {
        {"compute", 60000000}, {"exposed communication", 25000000}, {"memset", 0}, {"idle: data loading", 15000000}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        table_row(table);
        table_text(table, str_of(parts[i].name));
        table_int(table, parts[i].ns);
    }
    section_figure(section, "bar", FIGURE_STACK, "parts", "part", "wall_ns");
    return table;
}

static void a_table_is_the_legend_of_its_stack(void **state)
{
    parts_of("A step");
    expect("term", "steptime demo\n"
                   "\n"
                   "-- A step --------------------------------------------------\n"
                   "  What the step is made of\n"
                   "  ###################################==============---------\n"
                   "\n"
                   "    part                   time (ms)\n"
                   "  ----------------------------------\n"
                   "  # compute                    60.00\n"
                   "  = exposed communication      25.00\n"
                   "    memset                         0\n"
                   "  - idle: data loading         15.00\n");
}

static void a_stack_is_one_bar_with_a_legend(void **state)
{
    table_json_only(parts_of("A step"));
    expect("term", "steptime demo\n"
                   "\n"
                   "-- A step --------------------------------------------------\n"
                   "  What the step is made of\n"
                   "  ###################################==============---------\n"
                   "  # compute                   60.00 ms   60.0%\n"
                   "  = exposed communication     25.00 ms   25.0%\n"
                   "  - idle: data loading        15.00 ms   15.0%\n");
}

static void a_stack_in_blocks(void **state)
{
    table_json_only(parts_of("A step"));
    options.unicode = true;
    expect("term", "steptime demo\n"
                   "\n"
                   "── A step ──────────────────────────────────────────────────\n"
                   "  What the step is made of\n"
                   "  ███████████████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░░░░\n"
                   "  █ compute                   60.00 ms   60.0%\n"
                   "  ▓ exposed communication     25.00 ms   25.0%\n"
                   "  ░ idle: data loading        15.00 ms   15.0%\n");
}

static struct table *step_times(enum figure_kind kind, int count)
{
    struct section *section = report_section(report, "step", "Steps");
    struct table *table = section_table(section, "steps", "");
    table_column(table, "step", "step", UNIT_NONE, 0);
    table_column(table, "wall_ns", "time", UNIT_NS, 0);
    for (int i = 0; i < count; i++) {
        table_row(table);
        table_int(table, i);
        table_int(table, 1000000 * (i % 4 + 1));
    }
    table_json_only(table);
    section_figure(section, "times", kind, "steps", "step", "wall_ns");
    return table;
}

static void bars_a_row(void **state)
{
    step_times(FIGURE_BAR, 4);
    expect("term", "steptime demo\n"
                   "\n"
                   "-- Steps ---------------------------------------------------\n"
                   "  0     1.000 ms  ##########\n"
                   "  1     2.000 ms  #####################\n"
                   "  2     3.000 ms  ###############################\n"
                   "  3     4.000 ms  #########################################\n");
}

static void a_line_is_a_chart_of_columns(void **state)
{
    step_times(FIGURE_LINE, 8);
    expect("term", "steptime demo\n"
                   "\n"
                   "-- Steps ---------------------------------------------------\n"
                   "  4.000 ms |            ####            ####\n"
                   "           |            ####            ####\n"
                   "           |        ########        ########\n"
                   "           |        ########        ########\n"
                   "           |    ############    ############\n"
                   "           |    ############    ############\n"
                   "           |################################\n"
                   "         0 |################################\n"
                   "            0                              7\n");
}

static void a_distribution_climbs_to_all(void **state)
{
    step_times(FIGURE_CDF, 8);
    expect("term", "steptime demo\n"
                   "\n"
                   "-- Steps ---------------------------------------------------\n"
                   "  100% |                                           #\n"
                   "       |                                           #\n"
                   "       |                             ###############\n"
                   "       |                             ###############\n"
                   "       |              ##############################\n"
                   "       |              ##############################\n"
                   "       |############################################\n"
                   "    0% |############################################\n"
                   "        1.000 ms                            4.000 ms\n");
}

static void values_line_up_by_their_numbers(void **state)
{
    struct section *section = report_section(report, "v", "Values");
    section_text(section, S("Five steps of one rank. This text is longer than the line and goes on below."));
    section_value(section, "a", "step time, mean", UNIT_NS, cell_int(253400000));
    section_value(section, "b", "GPU busy", UNIT_RATIO, cell_real(0.713));
    section_value(section, "c", "model FLOPs", UNIT_FLOP_PER_S, cell_real(1.234e14));
    section_value(section, "d", "device", UNIT_NONE, cell_text(S("NVIDIA H100")));
    section_value(section, "e", "unknown", UNIT_NS, cell_null());
    expect("term", "steptime demo\n"
                   "\n"
                   "-- Values --------------------------------------------------\n"
                   "  Five steps of one rank. This text is longer than the line\n"
                   "  and goes on below.\n"
                   "\n"
                   "  step time, mean  253.4 ms\n"
                   "  GPU busy          71.3 %\n"
                   "  model FLOPs      123.4 TFLOP/s\n"
                   "  device           NVIDIA H100\n"
                   "  unknown              -\n");
}

static void many_values_stand_side_by_side(void **state)
{
    struct section *section = report_section(report, "v", "Values");
    for (int i = 0; i < 7; i++)
        section_value(section, "x", str_printf(&arena, "value %d", i).at, UNIT_COUNT, cell_int(i * 1000));
    expect("term", "steptime demo\n"
                   "\n"
                   "-- Values --------------------------------------------------\n"
                   "  value 0      0     value 3  3,000     value 6  6,000\n"
                   "  value 1  1,000     value 4  4,000\n"
                   "  value 2  2,000     value 5  5,000\n");
}

static void findings_and_warnings_close_the_screen(void **state)
{
    report_input(report, (struct report_input){S("run/trace.json"), S("kineto json"), 1234567, 1 << 20, 2, 1});
    report_finding(
        report,
        &(struct finding){.rule = S("SM102"),
                          .severity = SEVERITY_WARNING,
                          .line = 0,
                          .message = S("The GPU waits for the data loader 15 % of the step: give it more workers."),
                          .per_step_host_blocked_ns = -1,
                          .per_step_saving_ns = 15000000});
    report_finding(report, &(struct finding){.rule = S("CP3"),
                                             .severity = SEVERITY_ERROR,
                                             .message = S("A line of source."),
                                             .file = S("train.py"),
                                             .line = 33,
                                             .per_step_host_blocked_ns = 2000000,
                                             .per_step_saving_ns = -1});
    report_warning(report, S("run/trace.json"), 12345, S("the file ends inside an event, which is dropped"));
    expect("term", "steptime demo  run/trace.json\n"
                   "kineto json, 1,234,567 events, 1.00 MiB, 2 repaired, 1 dropped\n"
                   "\n"
                   "-- Findings ------------------------------------------------\n"
                   "  warning  The GPU waits for the data loader 15 % of the\n"
                   "           step: give it more workers.\n"
                   "           up to 15.00 ms a step, SM102\n"
                   "  error    A line of source.\n"
                   "           host blocked 2.000 ms a step, train.py:33, CP3\n"
                   "\n"
                   "-- About the input -----------------------------------------\n"
                   "  byte 12345: the file ends inside an event, which is\n"
                   "    dropped\n");
}

static void many_warnings_are_cut(void **state)
{
    for (int i = 0; i < 12; i++)
        report_warning(report, S("a.json"), i, S("odd"));
    expect("term", "steptime demo\n"
                   "\n"
                   "-- About the input -----------------------------------------\n"
                   "  a.json: byte 0: odd\n"
                   "  a.json: byte 1: odd\n"
                   "  a.json: byte 2: odd\n"
                   "  a.json: byte 3: odd\n"
                   "  a.json: byte 4: odd\n"
                   "  a.json: byte 5: odd\n"
                   "  a.json: byte 6: odd\n"
                   "  a.json: byte 7: odd\n"
                   "  4 more; --format json lists them all\n");
}

/* ---- whatever comes ---- */

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (random_state >> 33) % limit;
}

/* Names of all lengths, from plain to broken. */
static str random_name(void)
{
    static const char *const pieces[] = {"aten::mm",  " ",    "<4, float>", "/run/", "\xE6\xA0\xB8",
                                         "e\xCC\x81", "\xFF", "\033[2J",    "_"};
    str name = S("");
    for (uint64_t i = random_below(20); i; i--)
        name =
            str_printf(&arena, "%.*s%s", (int)name.len, name.at, pieces[random_below(sizeof pieces / sizeof *pieces)]);
    return name;
}

static struct cell random_cell(enum unit unit)
{
    if (random_below(8) == 0)
        return cell_null();
    if (unit == UNIT_NONE)
        return cell_text(random_name());
    return random_below(2) ? cell_int((int64_t)(random_below(1 << 30) << random_below(20)))
                           : cell_real(1e-3 * (double)random_below(1 << 30));
}

static void random_table(struct section *section)
{
    struct table *table = section_table(section, "t", "T");
    const uint32_t columns = 1 + (uint32_t)random_below(9);
    enum unit units[10];
    for (uint32_t i = 0; i < columns; i++) {
        units[i] = (enum unit)random_below(UNIT_FLOP_PER_S + 1);
        const char *id = str_printf(&arena, "c%u", i).at;
        table_column(table, id, random_below(2) ? "a few words of heading" : "n", units[i],
                     (unsigned)random_below(8) & (COLUMN_WIDE | COLUMN_BAR));
    }
    for (uint64_t row = random_below(12); row; row--) {
        table_row(table);
        for (uint32_t i = 0; i < columns; i++)
            table_cell(table, random_cell(units[i]));
    }
    const char *y = str_printf(&arena, "c%u", (unsigned)random_below(columns)).at;
    section_figure(section, "f", (enum figure_kind)random_below(FIGURE_LANES + 1), "t", "c0", y);
}

/* Without colours, since their codes take no columns. */
static void no_line_is_wider_than_the_terminal(void **state)
{
    for (int round = 0; round < 2000; round++) {
        begin(NULL);
        options.width = 40 + (unsigned)random_below(120);
        options.unicode = random_below(2);
        struct section *section = report_section(report, "s", "Section");
        section_text(section, random_name());
        for (uint64_t i = random_below(9); i; i--)
            section_value(section, "v", "value", UNIT_NONE, random_cell((enum unit)random_below(2)));
        random_table(section);
        str rest = str_of(rendered("term"));
        for (str line; str_cut(&rest, '\n', &line);)
            if (glyph_width(line) > options.width)
                fail_msg("round %d: %u columns of %u: %.*s", round, glyph_width(line), options.width, (int)line.len,
                         line.at);
        arena_free(&arena);
    }
    begin(NULL);
}

/* ---- numbers and texts for people ---- */

static void expect_told(enum unit unit, double value, bool whole, const char *text)
{
    assert_string_equal(str_z(&arena, measure_whole_text(&arena, unit, value, whole)), text);
}

static void numbers_choose_their_unit(void **state)
{
    expect_told(UNIT_NS, 999, true, "999 ns");
    expect_told(UNIT_NS, 1000, true, "1.000 us");
    expect_told(UNIT_NS, 12345678, true, "12.35 ms");
    expect_told(UNIT_NS, 1.5e9, true, "1.500 s");
    expect_told(UNIT_NS, 1.5e13, true, "15,000 s");
    expect_told(UNIT_NS, -2500000, true, "-2.500 ms");
    expect_told(UNIT_NS, 0, true, "0 ns");
    expect_told(UNIT_NS, 0.25, false, "0.250 ns");
    expect_told(UNIT_MS, 0.5, false, "500.0 us");
    expect_told(UNIT_US, 1500, true, "1.500 ms");
    expect_told(UNIT_BYTES, 1023, true, "1,023 B");
    expect_told(UNIT_BYTES, 1536, true, "1.50 KiB");
    expect_told(UNIT_BYTES, 80.0 * (1 << 30), true, "80.0 GiB");
    expect_told(UNIT_FLOP, 2e12, true, "2.000 TFLOP");
    expect_told(UNIT_FLOP_PER_S, 1.234e14, false, "123.4 TFLOP/s");
    expect_told(UNIT_BYTES_PER_S, 2.5e10, false, "25.00 GB/s");
    expect_told(UNIT_RATIO, 0.4315, false, "43.1 %");
    expect_told(UNIT_RATIO, 1, true, "100.0 %");
    expect_told(UNIT_COUNT, 1234567, true, "1,234,567");
    expect_told(UNIT_NONE, 1234567, true, "1234567");
}

static void what_is_not_zero_never_reads_as_zero(void **state)
{
    const struct measure milliseconds = measure_for(UNIT_NS, 5e8, true);
    assert_string_equal(str_z(&arena, measure_text(&arena, &milliseconds, 100)), "<0.1");
    assert_string_equal(str_z(&arena, measure_text(&arena, &milliseconds, -100)), ">-0.1");
    assert_string_equal(str_z(&arena, measure_text(&arena, &milliseconds, 0)), "0");
}

static void expect_short(const char *text, unsigned columns, const char *shortened)
{
    assert_string_equal(str_z(&arena, glyph_shorten(&arena, str_of(text), columns, S(".."))), shortened);
}

static void texts_are_shortened_to_the_column(void **state)
{
    expect_short("short", 5, "short");
    expect_short("aten::convolution_backward", 14, "aten::co..ward");
    expect_short("/data/run/rank0.json", 14, "..n/rank0.json");
    expect_short("abcdef", 2, "..");
    expect_short("abcdef", 1, ".");
    expect_short("\xE6\xA0\xB8\xE5\x87\xBD\xE6\x95\xB0", 5, "\xE6\xA0\xB8..");
    assert_int_equal(glyph_width(S("e\xCC\x81")), 1);
}

static void text_wraps_at_blanks(void **state)
{
    str rest = S("one two  three\n\nlongerthanaline x"), line;
    const char *const lines[] = {"one two", "three", "", "longerth", "analine", "x"};
    size_t n = 0;
    while (glyph_wrap(&rest, 8, &line))
        assert_string_equal(str_z(&arena, line), lines[n++]);
    assert_int_equal(n, 6);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_empty_document_has_every_key),
        CASE(json_of_all_there_is),
        CASE(json_of_one_table_leaves_the_others_out),
        CASE(csv_of_the_only_table),
        CASE(csv_of_several_tables_wants_a_name),
        CASE(unknown_names_are_refused),
        CASE(a_table_lines_up),
        CASE(a_narrow_table_shortens_names_in_the_middle),
        CASE(a_very_narrow_table_says_which_columns_are_missing),
        CASE(a_column_has_one_unit),
        CASE(sizes_far_apart_have_units_of_their_own),
        CASE(headings_take_as_few_lines_as_fit),
        CASE(columns_with_nothing_in_them_are_left_out),
        CASE(absent_numbers_are_dashes),
        CASE(a_table_without_rows_says_so),
        CASE(rows_beyond_the_limit_are_counted),
        CASE(names_cannot_drive_the_terminal),
        CASE(wide_characters_take_two_columns),
        CASE(bars_and_rules_where_the_terminal_has_them),
        CASE(colours_where_asked_for),
        CASE(a_stack_is_one_bar_with_a_legend),
        CASE(a_table_is_the_legend_of_its_stack),
        CASE(a_stack_in_blocks),
        CASE(bars_a_row),
        CASE(a_line_is_a_chart_of_columns),
        CASE(a_distribution_climbs_to_all),
        CASE(values_line_up_by_their_numbers),
        CASE(many_values_stand_side_by_side),
        CASE(findings_and_warnings_close_the_screen),
        CASE(many_warnings_are_cut),
        CASE(no_line_is_wider_than_the_terminal),
        CASE(numbers_choose_their_unit),
        CASE(what_is_not_zero_never_reads_as_zero),
        CASE(texts_are_shortened_to_the_column),
        CASE(text_wraps_at_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
