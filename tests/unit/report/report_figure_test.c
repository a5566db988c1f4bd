/* SPDX-License-Identifier: Apache-2.0 */
/* Figures and values on a terminal, letter for letter. */
#include "report_case.h"

static struct table *parts_of(const char *title)
{
    struct section *section = report_section(report, "step", title);
    struct table *table = section_table(section, "parts", "What the step is made of");
    table_column(table, (struct column_spec){"part", "part", UNIT_NONE, 0, "of a test"});
    table_column(table, (struct column_spec){"wall_ns", "time", UNIT_NS, 0, "of a test"});
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
    table_column(table, (struct column_spec){"step", "step", UNIT_NONE, 0, "of a test"});
    table_column(table, (struct column_spec){"wall_ns", "time", UNIT_NS, 0, "of a test"});
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
    /* What is not known is not told. */
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
                   "  device           NVIDIA H100\n");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_stack_is_one_bar_with_a_legend),
        CASE(a_table_is_the_legend_of_its_stack),
        CASE(a_stack_in_blocks),
        CASE(bars_a_row),
        CASE(a_line_is_a_chart_of_columns),
        CASE(a_distribution_climbs_to_all),
        CASE(values_line_up_by_their_numbers),
        CASE(many_values_stand_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
