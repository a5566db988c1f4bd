/* SPDX-License-Identifier: Apache-2.0 */
/* A document under test and what its renderers make of it. */
#ifndef UNIT_REPORT_CASE_H
#define UNIT_REPORT_CASE_H

#include "unit/cmocka_first.h"
#include "io/writer.h"
#include "report/report.h"
#include "steptime/error.h"

static struct arena arena;
static struct report *report;
static struct render_options options;

static inline int begin(void **state)
{
    report = report_new(&arena, S("demo"));
    options = (struct render_options){.width = 60, .version = S("1.2.3")};
    return 0;
}

static inline int end(void **state)
{
    arena_free(&arena);
    return 0;
}

static inline const char *rendered(const char *format)
{
    struct writer *out = writer_to_memory();
    struct steptime_error err = {0};
    if (!report_render(report, str_of(format), &options, out, &err))
        fail_msg("%s", err.message);
    const char *text = str_z(&arena, writer_text(out));
    writer_abandon(out);
    return text;
}

static inline void expect(const char *format, const char *text)
{
    assert_string_equal(rendered(format), text);
}

static inline void expect_failure(const char *format, const char *message)
{
    struct writer *out = writer_to_memory();
    struct steptime_error err = {0};
    assert_false(report_render(report, str_of(format), &options, out, &err));
    assert_int_equal(err.code, STEPTIME_USAGE);
    assert_string_equal(err.message, message);
    writer_abandon(out);
}

/* ---- documents ---- */

static inline struct table *kernels(void)
{
    struct table *table = section_table(report_section(report, "top", "Top"), "kernels", "Kernels");
    table_column(table, (struct column_spec){"name", "kernel", UNIT_NONE, COLUMN_WIDE, "of a test"});
    table_column(table, (struct column_spec){"calls", "calls", UNIT_COUNT, 0, "of a test"});
    table_column(table, (struct column_spec){"total_ns", "total", UNIT_NS, 0, "of a test"});
    table_column(table, (struct column_spec){"share", "share", UNIT_RATIO, COLUMN_BAR, "of a test"});
    table_column(table, (struct column_spec){"grid", "grid", UNIT_NONE, COLUMN_DETAIL, "of a test"});
    return table;
}

static inline void kernel(struct table *table, str name, int64_t calls, int64_t total_ns, double share)
{
    table_row(table);
    table_text(table, name);
    table_int(table, calls);
    table_int(table, total_ns);
    table_real(table, share);
    table_null(table);
}

static inline void two_kernels(void)
{
    struct table *table = kernels();
    kernel(table, S("ampere_sgemm_128x64_nn"), 12345, 103400000, 0.75);
    kernel(table, S("void at::native::vectorized_elementwise_kernel<4, Fill>()"), 7, 1230000, 0.25);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
