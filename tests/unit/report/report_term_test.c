/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal: what it is given, and the screen that comes of it, letter for letter. */
#include "report_case.h"

#include <math.h>

#include "report/glyph.h"
#include "report/measure.h"

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
                 "  ampere_sgemm_128x64_nn                                     12,345  103.4  75.0% ########\n"
                 "  void at::native::vectorized_elementwise_kernel<4, Fill>()       7    1.2  25.0% ###\n");
}

static void a_narrow_table_shortens_names_in_the_middle(void **state)
{
    two_kernels();
    expect_table(60, "  Kernels\n"
                     "                                          total\n"
                     "  kernel                           calls   (ms)  share  grid\n"
                     "  ----------------------------------------------------------\n"
                     "  ampere_sgemm_128x64_nn          12,345  103.4  75.0%\n"
                     "  void at::native::v..., Fill>()       7    1.2  25.0%\n");
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
                     "  long        1      2.500  100.0% ########\n"
                     "  short       1     <0.001      0%\n"
                     "  none        0          0      0%\n");
}

static void sizes_far_apart_have_units_of_their_own(void **state)
{
    struct table *table = section_table(report_section(report, "top", "Top"), "kernels", "");
    table_column(table, (struct column_spec){"bytes", "size", UNIT_BYTES, 0, "of a test"});
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
    table_column(table, (struct column_spec){"a", "time in all steps", UNIT_NS, 0, "of a test"});
    table_column(table, (struct column_spec){"b", "longest of one step", UNIT_NS, 0, "of a test"});
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
    table_column(table, (struct column_spec){"a", "a", UNIT_NONE, 0, "of a test"});
    table_column(table, (struct column_spec){"empty", "empty", UNIT_NONE, COLUMN_WIDE, "of a test"});
    table_column(table, (struct column_spec){"absent", "absent", UNIT_NS, 0, "of a test"});
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
                     "  k           0           0     0%\n"
                     "  k           1           1     0%\n"
                     "  3 more rows; --rows 0 shows all\n");
}

static void names_cannot_drive_the_terminal(void **state)
{
    struct table *table = kernels();
    kernel(table, S("\033[2Jgone\n\x9B\xFF"), 1, 1, 1);
    expect_table(80, "  Kernels\n"
                     "  kernel                 calls  total (ns)   share           grid\n"
                     "  ---------------------------------------------------------------\n"
                     "  \\x1b[2Jgone\\n\\x9b\\xff      1           1  100.0% ########\n");
}

static void wide_characters_take_two_columns(void **state)
{
    struct table *table = kernels();
    kernel(table, S("\xE6\xA0\xB8\xE5\x87\xBD\xE6\x95\xB0"), 1, 1, 1);
    kernel(table, S("kernel"), 1, 1, 1);
    expect_table(80, "  Kernels\n"
                     "  kernel  calls  total (ns)   share           grid\n"
                     "  ------------------------------------------------\n"
                     "  核函数      1           1  100.0% ########\n"
                     "  kernel      1           1  100.0% ########\n");
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
                 "  ampere_sgemm_128x64_nn                                     12,345  103.4  75.0% ████████\n"
                 "  void at::native::vectorized_elementwise_kernel<4, Fill>()       7    1.2  25.0% ██▋\n");
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
        "  ampere_sgemm_128x64_nn                                     12,345  103.4  75.0% \033[34m########\033[0m\n"
        "  void at::native::vectorized_elementwise_kernel<4, Fill>()       7    1.2  25.0% \033[34m###\033[0m\n");
}

static void findings_and_warnings_close_the_screen(void **state)
{
    report_input(report,
                 (struct report_input){S("run/trace.json"), S("kineto json"), 1234567, 1 << 20, 2, 1, {.count = -1}});
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
        table_column(table, (struct column_spec){id, random_below(2) ? "a few words of heading" : "n", units[i],
                                                 (unsigned)random_below(8) & (COLUMN_WIDE | COLUMN_BAR), "of a test"});
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
    expect_short("src/models/block.py:123", 14, "..block.py:123");
    expect_short("src/block.py:123 forward", 18, "..block.py:123 f..");
    expect_short("torch/module.py(1773): _call_impl", 21, "..module.py(1773): ..");
    expect_short("called from block.py:12", 14, "..block.py:12");
    expect_short("block.py:123 forward", 14, "block.py:123");
    expect_short("a_very_long_file_name.py:123", 12, "..ame.py:123");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
