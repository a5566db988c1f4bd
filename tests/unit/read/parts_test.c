/* SPDX-License-Identifier: Apache-2.0 */
/* A list that is read in parts on several threads gives the trace that reading it in order gives. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "unit/cmocka_first.h"
#include "read/kineto.h"
#include "text/json_window.h"
#include "unit/shared_data.h"

/* ---- reading ---- */

enum { WINDOW = 500 }; /* so small that it moves on before the first part */

static struct trace *read_in_parts(struct source *source, unsigned threads, size_t part_bytes)
{
    struct json_window window;
    json_window_open(&window, source, WINDOW, NULL);
    struct trace *trace = trace_new();
    if (kineto_read_in_parts(&window, trace, threads, part_bytes, NULL)) {
        trace_finish(trace);
    } else {
        trace_free(trace);
        trace = NULL;
    }
    json_window_close(&window);
    return trace;
}

static struct trace *read_text(str text, size_t chunk, unsigned threads, size_t part_bytes)
{
    struct source *source = source_of_bytes("memory", text.at, text.len, chunk);
    struct trace *trace = read_in_parts(source, threads, part_bytes);
    source_close(source);
    return trace;
}

/* ---- comparing: all there is in a finished trace, ids of texts and lanes too ---- */

static void same_texts(const struct trace *a, const struct trace *b)
{
    assert_int_equal(trace_text_count(a), trace_text_count(b));
    for (uint32_t id = 0; id < trace_text_count(a); id++)
        assert_true(str_eq(trace_text(a, id), trace_text(b, id)));
}

static void same_lanes(const struct trace *a, const struct trace *b)
{
    assert_int_equal(a->lane_count, b->lane_count);
    for (uint32_t i = 0; i < a->lane_count; i++) {
        const struct lane *x = &a->lanes[i], *y = &b->lanes[i];
        assert_true(x->device == y->device && x->process == y->process && x->id == y->id);
        assert_true(x->process_text == y->process_text && x->id_text == y->id_text);
        assert_true(x->process_name == y->process_name && x->name == y->name);
    }
}

static void same_rows(const struct trace *a, const struct trace *b)
{
    assert_int_equal(a->count, b->count);
    const size_t n = a->count;
    assert_memory_equal(a->start_ns, b->start_ns, n * sizeof *a->start_ns);
    assert_memory_equal(a->dur_ns, b->dur_ns, n * sizeof *a->dur_ns);
    assert_memory_equal(a->name, b->name, n * sizeof *a->name);
    assert_memory_equal(a->lane, b->lane, n * sizeof *a->lane);
    assert_memory_equal(a->kind, b->kind, n);
    assert_memory_equal(a->parent, b->parent, n * sizeof *a->parent);
    assert_memory_equal(a->cause, b->cause, n * sizeof *a->cause);
    assert_memory_equal(a->order, b->order, n * sizeof *a->order);
    for (uint32_t row = 0; row < n; row++)
        assert_int_equal(trace_forward(a, row), trace_forward(b, row));
}

static void same_attributes(const struct trace *a, const struct trace *b)
{
    for (int attr = 0; attr < ATTRS; attr++) {
        assert_int_equal(trace_attr_count(a, attr), trace_attr_count(b, attr));
        for (uint32_t row = 0; row < a->count && trace_attr_count(a, attr); row++)
            assert_int_equal(trace_attr_or(a, row, attr, -1), trace_attr_or(b, row, attr, -1));
    }
}

static void same_notes(const struct trace *a, const struct trace *b)
{
    assert_true(a->repaired == b->repaired && a->dropped == b->dropped);
    assert_int_equal(a->note_count, b->note_count);
    for (uint32_t i = 0; i < a->note_count; i++) {
        assert_int_equal(a->notes[i].kind, b->notes[i].kind);
        assert_int_equal(a->notes[i].offset, b->notes[i].offset);
        assert_true(str_eq(a->notes[i].text, b->notes[i].text));
    }
}

static void same_trace(const struct trace *a, const struct trace *b)
{
    assert_int_equal(!a, !b);
    if (!a)
        return;
    same_texts(a, b);
    same_lanes(a, b);
    same_rows(a, b);
    same_attributes(a, b);
    same_notes(a, b);
    assert_true(a->origin_ns == b->origin_ns && a->end_ns == b->end_ns && a->step_count == b->step_count);
    assert_memory_equal(a->kinds, b->kinds, sizeof a->kinds);
    assert_int_equal(a->info.rank, b->info.rank);
}

/* ---- planted lists ---- */

/* The i-th of a list of events as profilers write them: operators, launches, kernels with their arrows. */
static void put_event(struct buf *text, int i)
{
    const int name = i % 7, stream = 7 + i % 3;
    switch (i % 4) {
    case 0:
        buf_printf(
            text,
            "{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op%d\", \"pid\": 1, \"tid\": %d, \"ts\": %d.5, "
            "\"dur\": 7,\n    \"args\": {\"External id\": %d, \"Input Dims\": [[%d, 3], []]}\n  }",
            name, 1 + i / 500, 10 + i, i, i % 50);
        break;
    case 1:
        buf_printf(
            text,
            "{ \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, "
            "\"ts\": %d, \"dur\": 1, \"args\": {\"correlation\": %d, \"External id\": %d}}",
            10 + i, i, i - 1);
        break;
    case 2:
        buf_printf(text,
                   "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"kernel%d\", \"pid\": 0, \"tid\": %d, \"ts\": %d, "
                   "\"dur\": 2, \"args\": {\"stream\": %d, \"correlation\": %d, \"device\": 0}}",
                   name, stream, 20 + i, stream, i - 1);
        break;
    default:
        buf_printf(
            text,
            "{\"ph\": \"f\", \"id\": %d, \"pid\": 0, \"tid\": %d, \"ts\": %d, \"cat\": \"ac2g\", \"name\": \"ac2g\"}",
            i - 2, 7 + (i - 1) % 3, 20 + i - 1);
    }
}

/* The text with the number in the place of each #. */
static void put_numbered(struct buf *text, const char *with, int number)
{
    for (; *with; with++)
        if (*with == '#')
            buf_printf(text, "%d", number);
        else
            buf_char(text, *with);
}

/* A document of so many events; after every hundredth stands the odd text. */
static struct buf planted(int events, const char *odd)
{
    struct buf text = {0};
    buf_printf(&text, "{\"schemaVersion\": 1,\n\"traceEvents\": [\n");
    for (int i = 0; i < events; i++) {
        put_event(&text, i);
        if (i % 100 == 99)
            put_numbered(&text, odd, i);
        buf_printf(&text, i + 1 < events ? ",\n  " : "");
    }
    buf_printf(&text, "\n], \"distributedInfo\": {\"rank\": 2}}");
    return text;
}

static void parts_are_joined(void **state)
{
    struct buf text = planted(4000, "");
    struct source *source = source_of_bytes("memory", text.at, text.len, SIZE_MAX);
    struct json_window window;
    json_window_open(&window, source, JSON_WINDOW, NULL);
    json_window_peek(&window);
    window.at = strstr(window.at, "[\n") + 2;
    struct trace *trace = trace_new();
    struct kineto *k = kineto_new(trace);
    k->window = &window;
    k->plan = (struct part_plan){.threads = 3, .bytes = 10000, .pause = 10000};
    kineto_parts(k);
    assert_in_range(json_window_offset(&window, window.at), text.len - 11000, text.len - 1);
    assert_int_equal(*window.at, '{');
    assert_in_range(trace->count, 2900, 2999);
    assert_int_equal(k->seen.records, 4 * (trace->count / 3) + trace->count % 3);
    kineto_free(k);
    trace_free(trace);
    json_window_close(&window);
    source_close(source);
    buf_free(&text);
}

/* Kernels that arrows alone link to their launches; the lane of an arrow's end is that of the kernel before. */
#define LAUNCH           ", {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"l\", \"pid\": 1, \"tid\": 3, \"ts\": #, \"dur\": 1}"
#define ARROW(phase, id) ", {\"ph\": \"" phase "\", \"id\": " id ", \"cat\": \"ac2g\", \"name\": \"n\", "
#define INSTANT          ", {\"ph\": \"i\", \"name\": \"i\", \"pid\": 1, \"tid\": 1, \"ts\": #}"
#define KERNEL \
    ", {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 70, \"ts\": #.5, \"dur\": 1, " \
    "\"args\": {\"stream\": 7}}"
#define LINKED(id) \
    LAUNCH ARROW("s", id) "\"pid\": 1, \"tid\": 3, \"ts\": #}" INSTANT INSTANT KERNEL INSTANT INSTANT INSTANT ARROW( \
        "f", id) "\"pid\": 0, \"tid\": 70, \"ts\": #.5}"

static void lists_of_all_kinds_are_the_same_in_parts(void **state)
{
    static const char *const odd[] = {
        "",
        ", {\"ph\": \"B\", \"name\": \"b\", \"pid\": 1, \"tid\": 9, \"ts\": 3}",
        ", {\"ph\": \"B\", \"name\": \"b\", \"pid\": 1, \"tid\": 9, \"ts\": 3}, {\"ph\": \"E\", \"pid\": 1, \"tid\": 9, \"ts\": 5}",
        ", {\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": 1, \"args\": {\"name\": \"a name\"}}",
        ", {\"ph\": \"s\", \"id\": \"text\", \"pid\": \"p\", \"tid\": \"t\", \"ts\": 3, \"cat\": \"ac2g\", \"name\": \"n\"}",
        LINKED("#"),
        LINKED("\"text #\""),
        ", {\"ph\": \"X\", \"name\": \"of a text\", \"pid\": \"Spans\", \"tid\": \"PyTorch\", \"ts\": 3, \"dur\": 5}",
        ", {\"ph\": \"X\", \"name\": \"a\"b\", \"pid\": 1, \"tid\": 1, \"ts\": 3, \"dur\": 5}",
        ", {\"ph\": \"X\", \"name\": \"no length\", \"pid\": 1, \"tid\": 1, \"ts\": 3}",
        ", {\"ph\": \"X\", \"name\": \"no time\", \"pid\": 1, \"tid\": 1, \"dur\": 3}",
        ", {\"ph\": \"X\", \"name\": \"n\", \"pid\": 1, \"tid\": 1, \"dur\": 3, \"ts\": 99999999999999999999}",
        ", {\"ph\": \"X\", \"name\": \"n\", \"pid\": 1, \"tid\": 99999999999999999999, \"dur\": 3, \"ts\": 3}",
        ", {\"ph\": \"X\", \"name\": \"twice\", \"name\": \"more\", \"pid\": 1, \"tid\": 1, \"ts\": 3, \"dur\": 3}",
        ", {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"never\", \"pid\": 0, \"tid\": 1, \"ts\": 0, \"dur\": 0}",
        ", {\"ph\": \"C\", \"name\": \"counter\", \"pid\": 1, \"ts\": 3, \"args\": {}}",
        (", {\"ph\": \"i\", \"name\": \"},{\\\"ph\\\": \\\"X\\\"\", \"pid\": 1, \"tid\": 1, \"ts\": 3, \"args\": {\"Total Allocated\": "
         "3000000000}}"),
        ", {\"ph\": \"i\", \"name\": \"}, {\", \"ts\": 3, \"args\": {\"a\": [{\"a\": 1},{\"ph\": \"X\"}]}}",
        ",",
        " {\"ph\": \"X\", \"name\": \"no comma\", \"pid\": 1, \"tid\": 1, \"ts\": 3, \"dur\": 3}",
        ", 5",
        ", {\"ph\": \"X\", \"name\": no json at all",
        "]} {\"traceEvents\": [ {\"ph\": \"X\", \"name\": \"document\", \"pid\": 1, \"tid\": 1, \"ts\": 3, \"dur\": 3}",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct buf text = planted(2000, odd[i]);
        struct trace *whole = read_text(buf_str(&text), SIZE_MAX, 1, 0);
        assert_non_null(whole);
        for (size_t bytes = 500; bytes < 20000; bytes = bytes * 5 / 2) {
            struct trace *parts = read_text(buf_str(&text), bytes % 3 ? SIZE_MAX : 777, 2 + bytes % 2, bytes);
            same_trace(whole, parts);
            trace_free(parts);
        }
        trace_free(whole);
        buf_free(&text);
    }
}

static void a_list_that_breaks_off_is_the_same_in_parts(void **state)
{
    struct buf text = planted(400, "");
    for (size_t length = 0; length < text.len; length += 397) {
        struct trace *whole = read_text((str){text.at, length}, SIZE_MAX, 1, 0);
        struct trace *parts = read_text((str){text.at, length}, 1000, 2, 600);
        same_trace(whole, parts);
        trace_free(whole);
        trace_free(parts);
    }
    buf_free(&text);
}

/* What follows a quote tells whether it ends the name, also where the window ends between the two. */
static void repairs_do_not_depend_on_the_window(void **state)
{
    static const char events[] =
        "[{\"ph\": \"X\", \"name\": \"a\" b, \"c\" , d\", \"ts\": 1, \"dur\": 2, \"pid\": 1, \"tid\": 1},\n"
        "{\"ph\": \"X\", \"name\": \"C:\\e\\\", \"dur\": NaN, \"pid\": 1, \"tid\": 1, \"ts\": 3},\n"
        "{\"ph\": \"X\", \"name\": \"f\" x\"}    g\", \"ts\": 3, \"dur\": 2, \"pid\": 1, \"tid\": 1},\n"
        "{\"ph\": \"X\", \"name\": \"h\", \"pid\": 1, \"tid\": 1, \"ts\": 4, \"dur\": 3}]";
    struct trace *whole = read_text(str_of(events), SIZE_MAX, 1, 0);
    assert_true(whole->repaired > 1);
    for (int blanks = 0; blanks < WINDOW; blanks++) {
        struct buf text = {0};
        buf_printf(&text, "%*s%s", blanks, "", events);
        struct trace *trace = read_text(buf_str(&text), SIZE_MAX, 1, 0);
        assert_int_equal(trace->note_count, whole->note_count);
        same_texts(whole, trace);
        same_rows(whole, trace);
        trace_free(trace);
        buf_free(&text);
    }
    trace_free(whole);
}

/* ---- real ones ---- */

static struct trace *read_file(const char *path, unsigned threads, size_t part_bytes)
{
    struct source *source = source_open(path, NULL);
    assert_non_null(source);
    struct trace *trace = read_in_parts(source, threads, part_bytes);
    source_close(source);
    return trace;
}

/* Each trace once, in parts of one of several sizes, so that all of them come. */
static void in_folder(const char *pattern)
{
    static const size_t bytes[] = {5000, 30000, 200000};
    glob_t files;
    if (glob(shared_data(pattern), 0, NULL, &files)) {
        print_message("# SKIP: no shared traces %s\n", pattern);
        skip();
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct trace *whole = read_file(files.gl_pathv[i], 1, 0);
        struct trace *parts = read_file(files.gl_pathv[i], 3, bytes[i % 3]);
        same_trace(whole, parts);
        trace_free(whole);
        trace_free(parts);
    }
    globfree(&files);
}

static void real_traces_are_the_same_in_parts(void **state)
{
    in_folder("traces/kineto/*.gz");
}

static void producers_of_all_versions_are_the_same_in_parts(void **state)
{
    in_folder("traces/producers/*.gz");
}

static void odd_traces_are_the_same_in_parts(void **state)
{
    in_folder("traces/quirks/*.json");
}

static void ranks_are_the_same_in_parts(void **state)
{
    in_folder("traces/multirank/*/*.gz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_joined),
        cmocka_unit_test(lists_of_all_kinds_are_the_same_in_parts),
        cmocka_unit_test(a_list_that_breaks_off_is_the_same_in_parts),
        cmocka_unit_test(repairs_do_not_depend_on_the_window),
        cmocka_unit_test(real_traces_are_the_same_in_parts),
        cmocka_unit_test(producers_of_all_versions_are_the_same_in_parts),
        cmocka_unit_test(odd_traces_are_the_same_in_parts),
        cmocka_unit_test(ranks_are_the_same_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
