/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA recorder's file, made by hand: rows to events, and what is damaged or cut. */
#include "unit/cmocka_first.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/varint.h"
#include "cudafile/format.h"
#include "cudafile/rows.h"
#include "read/read.h"

/* ---- a file ---- */

static void header(struct buf *file)
{
    buf_add(file, S(CUDAFILE_MAGIC));
    buf_char(file, CUDAFILE_VERSION);
}

static void put_u32(struct buf *file, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        buf_char(file, (char)(value >> 8 * i));
}

static void section(struct buf *file, struct buf *rows)
{
    put_u32(file, CUDAFILE_TAG);
    put_u32(file, (uint32_t)rows->len);
    put_u32(file, 1);
    put_u32(file, cudafile_check((const unsigned char *)rows->at, rows->len));
    buf_add(file, buf_str(rows));
    buf_clear(rows);
}

/* A row of numbers, and a text behind them. */
static void row(struct buf *rows, int kind, const char *text, int count, const uint64_t *numbers)
{
    struct buf body = {0};
    buf_char(&body, (char)kind);
    for (int i = 0; i < count; i++)
        varint_put(&body, numbers[i]);
    buf_add(&body, str_of(text));
    varint_put(rows, body.len);
    buf_add(rows, buf_str(&body));
    buf_free(&body);
}

#define ROW(rows, kind, text, ...) \
    row(rows, kind, text, (int)(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)), (const uint64_t[]){__VA_ARGS__})

static uint64_t z(int64_t value)
{
    return cudafile_zigzag(value);
}

static void names(struct buf *rows)
{
    ROW(rows, CUDAFILE_INFO, "4711", CUDAFILE_PROCESS);
    ROW(rows, CUDAFILE_INFO, "3", CUDAFILE_RANK);
    ROW(rows, CUDAFILE_TEXT, "cudaMemcpyAsync", 1);
    ROW(rows, CUDAFILE_TEXT, "/x/train.py", 2);
    ROW(rows, CUDAFILE_TEXT, "step", 3);
    ROW(rows, CUDAFILE_TEXT, "main", 4);
    ROW(rows, CUDAFILE_CODE, "", 1, 2, 3, 10);
    ROW(rows, CUDAFILE_CODE, "", 2, 2, 4, 40);
}

/* A pageable copy of 64 bytes to the device that a line of step made; the driver's call within the runtime's. */
static void copy(struct buf *rows)
{
    ROW(rows, CUDAFILE_LINE, "", z(9), 77, 2, 1, 12, 2, 45);
    ROW(rows, CUDAFILE_CALL, "", 0, 1, 77, z(0), z(1050), 400, 0);
    ROW(rows, CUDAFILE_CALL, "", 1, 1, 77, z(0), z(-50), 500, 0);
    ROW(rows, CUDAFILE_COPY, "", 0, 1, 7, z(0), z(100), 200, 64, 1, 1, 3, 0, 0, 0);
}

static struct trace *read_bytes(str file, struct steptime_error *err)
{
    struct source *source = source_of_bytes("a.cuda", file.at, file.len, 7);
    struct trace *trace = trace_read_source(source, NULL, err);
    source_close(source);
    return trace;
}

static struct trace *read_file(const struct buf *file)
{
    struct steptime_error err = {0};
    struct trace *trace = read_bytes(buf_str(file), &err);
    assert_non_null(trace);
    return trace;
}

static bool has_note(const struct trace *trace, const char *part)
{
    for (uint32_t i = 0; i < trace->note_count; i++)
        if (str_has(trace->notes[i].text, str_of(part)))
            return true;
    return false;
}

static uint32_t row_of(const struct trace *trace, enum event_kind kind, const char *name)
{
    for (uint32_t at = 0; at < trace->count; at++)
        if (trace->kind[at] == kind && str_eq(trace_name(trace, at), str_of(name)))
            return at;
    fail_msg("no row named %s", name);
    return ROW_NONE;
}

/* ---- cases ---- */

static void test_a_copy_and_the_line_that_made_it(void **state)
{
    struct buf file = {0}, rows = {0};
    header(&file);
    names(&rows);
    copy(&rows);
    ROW(&rows, CUDAFILE_END, "", 3);
    section(&file, &rows);
    struct trace *t = read_file(&file);
    assert_int_equal(t->info.rank, 3);
    assert_int_equal(t->kinds[EVENT_RUNTIME], 1); /* the driver's is the same call */
    const uint32_t call = row_of(t, EVENT_RUNTIME, "cudaMemcpyAsync");
    const uint32_t work = row_of(t, EVENT_COPY, "Memcpy HtoD (Pageable -> Device)");
    assert_int_equal(t->cause[work], call);
    assert_int_equal(t->dur_ns[call], 500);
    assert_int_equal(t->start_ns[work] - t->start_ns[call], 100);
    assert_int_equal(trace_attr_or(t, work, ATTR_BYTES, -1), 64);
    const uint32_t builtin = row_of(t, EVENT_PYTHON, "<built-in function cudaMemcpyAsync>");
    assert_true(str_eq(trace_attr_text(t, builtin, ATTR_CALL_FROM), S("/x/train.py:12")));
    const uint32_t step = row_of(t, EVENT_PYTHON, "/x/train.py(10): step");
    assert_int_equal(t->parent[builtin], step);
    assert_true(str_eq(trace_attr_text(t, step, ATTR_CALL_FROM), S("/x/train.py:45")));
    assert_int_equal(t->parent[step], row_of(t, EVENT_PYTHON, "/x/train.py(40): main"));
    assert_false(t->info.cut);
    trace_free(t);
    buf_free(&file);
    buf_free(&rows);
}

static void test_pieces_in_any_order(void **state)
{
    struct buf file = {0}, rows = {0};
    header(&file);
    names(&rows);
    ROW(&rows, CUDAFILE_MARK, "", z(900), 5, 4, 77, 0, 0); /* the end of a range, before its start */
    ROW(&rows, CUDAFILE_SYNC, "", z(4), z(0), 100, 3, 1, 7, 0);
    section(&file, &rows);
    ROW(&rows, CUDAFILE_MARK, "", z(400), 5, 2, 77, 3, 0);
    ROW(&rows, CUDAFILE_MEMSET, "", 2, 1, 7, z(1), z(10), 5, 64, 0, 3); /* says that context 1 is of device 2 */
    ROW(&rows, CUDAFILE_END, "", 3);
    section(&file, &rows);
    struct trace *t = read_file(&file);
    assert_int_equal(t->dur_ns[row_of(t, EVENT_ANNOTATION, "step")], 500);
    const uint32_t sync = row_of(t, EVENT_SYNC, "Stream Sync");
    assert_int_equal(t->lanes[t->lane[sync]].process, 2);
    assert_true(str_eq(trace_attr_text(t, sync, ATTR_SYNC_KIND), S("Stream Sync")));
    row_of(t, EVENT_MEMSET, "Memset (Device)");
    trace_free(t);
    buf_free(&file);
    buf_free(&rows);
}

static void test_losses_are_counted_and_said(void **state)
{
    struct buf file = {0}, rows = {0};
    header(&file);
    names(&rows);
    copy(&rows);
    ROW(&rows, CUDAFILE_LOSS, "", 5, 2, 0, 1, 4, 3, 6);
    section(&file, &rows);
    struct trace *t = read_file(&file);
    assert_int_equal(t->dropped, 7);
    assert_true(has_note(t, "5 records were dropped by CUPTI"));
    assert_true(has_note(t, "2 records could not be written"));
    assert_true(has_note(t, "4 copies and waits have no line"));
    assert_true(has_note(t, "6 records have another size"));
    assert_true(t->info.cut && has_note(t, "did not come to its end"));
    trace_free(t);
    buf_free(&file);
    buf_free(&rows);
}

/* What came later: calls without Python, ranges of a library, why there are no lines, which calls there are. */
static void test_later_losses_and_why_lines_are_missing(void **state)
{
    struct buf file = {0}, rows = {0};
    header(&file);
    names(&rows);
    ROW(&rows, CUDAFILE_LOSS, "", 0, 0, 0, 0, 4, 0, 0, 8, 9);
    ROW(&rows, CUDAFILE_INFO, "Python is odd", CUDAFILE_LINES_OFF);
    ROW(&rows, CUDAFILE_INFO, "some", CUDAFILE_CALLS);
    section(&file, &rows);
    struct trace *t = read_file(&file);
    assert_int_equal(t->dropped, 0);
    assert_true(has_note(t, "4 copies and waits have no line of code: their thread did not hold Python's lock, and"));
    assert_true(has_note(t, "without: Python is odd"));
    assert_true(has_note(t, "8 copies and waits have no line of code: their thread ran no Python"));
    assert_true(has_note(t, "9 NVTX ranges and ends"));
    assert_true(has_note(t, "calls that were recorded: some"));
    trace_free(t);
    buf_free(&file);
    buf_free(&rows);
}

static void test_a_damaged_section_is_left_out(void **state)
{
    struct buf file = {0}, rows = {0};
    header(&file);
    names(&rows);
    section(&file, &rows);
    const size_t second = file.len;
    copy(&rows);
    section(&file, &rows);
    copy(&rows);
    section(&file, &rows);
    file.at[second + CUDAFILE_SECTION + 9] ^= 1;
    struct trace *t = read_file(&file);
    assert_int_equal(t->kinds[EVENT_COPY], 1);
    assert_int_equal(t->dropped, 1);
    trace_free(t);
    file.at[second] ^= 1; /* now it is no section */
    t = read_file(&file);
    assert_int_equal(t->count, 0);
    assert_true(has_note(t, "is not read"));
    trace_free(t);
    buf_free(&file);
    buf_free(&rows);
}

static void test_cut_at_any_byte(void **state)
{
    struct buf file = {0}, rows = {0};
    uint32_t before = 0;
    header(&file);
    names(&rows);
    section(&file, &rows);
    for (int i = 0; i < 3; i++)
        copy(&rows);
    section(&file, &rows);
    for (size_t keep = CUDAFILE_HEADER; keep <= file.len; keep++) {
        struct steptime_error err = {0};
        struct trace *t = read_bytes((str){file.at, keep}, &err);
        assert_non_null(t);
        assert_true(t->count >= before && t->info.cut);
        before = t->count;
        trace_free(t);
    }
    assert_true(before > 3);
    buf_free(&file);
    buf_free(&rows);
}

static void test_a_later_version(void **state)
{
    struct buf file = {0};
    struct steptime_error err = {0};
    header(&file);
    file.at[CUDAFILE_MAGIC_BYTES] = 9;
    assert_null(read_bytes(buf_str(&file), &err));
    assert_non_null(strstr(err.message, "version 9"));
    buf_free(&file);
}

static void test_later_rows_and_fields_are_passed_over(void **state)
{
    struct buf file = {0}, rows = {0};
    header(&file);
    names(&rows);
    ROW(&rows, 99, "news", 1, 2, 3);
    copy(&rows);
    ROW(&rows, CUDAFILE_COPY, "and more", 0, 1, 7, z(1), z(300), 200, 64, 2, 3, 2, 0, 0, 0);
    section(&file, &rows);
    struct trace *t = read_file(&file);
    row_of(t, EVENT_COPY, "Memcpy DtoH (Device -> Pinned)");
    assert_true(has_note(t, "1 rows are of a later version"));
    trace_free(t);
    buf_free(&file);
    buf_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_copy_and_the_line_that_made_it),
        cmocka_unit_test(test_pieces_in_any_order),
        cmocka_unit_test(test_losses_are_counted_and_said),
        cmocka_unit_test(test_later_losses_and_why_lines_are_missing),
        cmocka_unit_test(test_a_damaged_section_is_left_out),
        cmocka_unit_test(test_cut_at_any_byte),
        cmocka_unit_test(test_a_later_version),
        cmocka_unit_test(test_later_rows_and_fields_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
