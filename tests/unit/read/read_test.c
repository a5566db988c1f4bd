/* SPDX-License-Identifier: Apache-2.0 */
/* From a file to a trace: kinds of file, ranks in names, and real traces cut and served in pieces. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "unit/cmocka_first.h"
#include "read/rank.h"
#include "read/read.h"
#include "read/sniff.h"
#include "unit/shared_data.h"

static struct trace *read_pieces(str text, size_t chunk, struct steptime_error *err)
{
    struct source *source = source_of_bytes("memory", text.at, text.len, chunk);
    struct trace *trace = trace_read_source(source, NULL, err);
    source_close(source);
    return trace;
}

/* ---- names ---- */

static void the_rank_is_in_the_name_of_the_file_or_its_folder(void **state)
{
    static const struct {
        const char *path;
        int64_t rank;
    } cases[] = {
        {"rank0.json", 0},
        {"a/rank-12.Apr_03.pt.trace.json.gz", 12},
        {"rank_3.json", 3},
        {"kineto_rank7.json.gz", 7},
        {"host-worker3.json", 3},
        {"rank_2/trace.json", 2},
        {"trace.json", -1},
        {"frank.json", -1},
        {"ranked.json", -1},
        {"rank1/rank5.json", 5},
        {"worker0_rank4.json", 4},
        {"Rank=9.json", 9},
        {"rank99999999999.json", -1},
        {"", -1},
        {"/", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rank_of_path(str_of(cases[i].path)), cases[i].rank);
}

static void files_of_other_kinds_are_named(void **state)
{
    static const struct {
        str head;
        const char *says;
    } cases[] = {
        {S(""), "empty"},
        {S(" \n"), "empty"},
        {S("SQLite format 3\0more"), "SQLite"},
        {S("SQLite format 3\0more"), "steptime record --cuda"},
        {S("PK\x03\x04more"), "zip"},
        {S("<!DOCTYPE html><html>"), "web page"},
        {S("plain words"), "text"},
        {S("{\"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 1, \"nodes\": []}"), "execution trace"},
        {S("{\"workload_graph\": []}"), "Chakra"},
        {S("{\"rocprofiler-sdk-tool\": []}"), "rocprofv3"},
        {S("{\"rocprofiler-sdk-tool\": []}"), "PyTorch's profiler"},
        {S("[[[1, 2], [3]]]"), "memory timeline"},
        {S("\x0a\x08\x0a\x06schema\x12\x02hi\x18\x02"), "protobuf"},
        {S("\x0a\x08\x0a\x06schema\x12\x02hi\x18\x02"), ".trace.json.gz"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct steptime_error err;
        assert_null(read_pieces(cases[i].head, SIZE_MAX, &err));
        assert_int_equal(err.code, STEPTIME_INPUT);
        assert_non_null(strstr(err.message, cases[i].says));
    }
}

static void json_that_is_no_trace_is_an_error(void **state)
{
    static const char *const texts[] = {
        "{", "[", "{}", "[]", "{\"a\": 1}", "{\"traceEvents\": []}", "{\"traceEvents\": 5}", "[{\"ph"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct steptime_error err;
        assert_null(read_pieces(str_of(texts[i]), SIZE_MAX, &err));
        assert_int_equal(err.code, STEPTIME_INPUT);
    }
}

static void brackets_without_end_are_no_trouble(void **state)
{
    enum { BYTES = 20000000 };
    static const char *const starts[] = {"", "{\"a\": ", "{\"traceEvents\": [", "[{\"ph\": "};
    char *text = malloc(BYTES);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        struct steptime_error err;
        memset(text, '[', BYTES);
        memcpy(text, starts[i], strlen(starts[i]));
        assert_null(read_pieces((str){text, BYTES}, SIZE_MAX, &err));
    }
    free(text);
}

/* ---- the same trace, otherwise served ---- */

static void same_rows(const struct trace *a, const struct trace *b, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++) {
        assert_int_equal(a->start_ns[row] + a->origin_ns, b->start_ns[row] + b->origin_ns);
        assert_int_equal(a->dur_ns[row], b->dur_ns[row]);
        assert_int_equal(a->kind[row], b->kind[row]);
        assert_true(str_eq(trace_name(a, row), trace_name(b, row)));
        for (int attr = 0; attr < ATTRS; attr++)
            assert_int_equal(trace_attr_or(a, row, attr, -1), trace_attr_or(b, row, attr, -1));
    }
}

static const char *const small =
    "{\"schemaVersion\": 1, \"traceEvents\": [\n"
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": 10.5, \"dur\": 3, "
    "\"args\": {\"External id\": 1, \"Input Dims\": [[2, 3], [3, 4]]}},\n"
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\"b\", \"pid\": 1, \"tid\": 1, \"ts\": 14, \"dur\": 3, \"args\": {}},\n"
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": 18.5, \"dur\": NaN},\n"
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"\\u00e9\\n\", \"pid\": 0, \"tid\": 7, \"ts\": 20, \"dur\": 3, "
    "\"args\": {\"stream\": 7, \"grid\": [1, 1, 1]}}\n"
    "], \"distributedInfo\": {\"rank\": 2}}";

/* What stands behind args that are no object was learned from an event of another phase. */
static void a_phase_is_not_that_of_an_event_before(void **state)
{
    struct trace *trace = read_pieces(
        S("[{\"ph\": \"i\", \"args\": 0, \"cat\": \"kernel\", \"name\": \"a\", \"ts\": 1, \"pid\": 0, \"tid\": 7},"
          "{\"ph\": \"X\", \"args\": 0, \"cat\": \"kernel\", \"name\": \"b\", \"ts\": 1, \"pid\": 0, \"tid\": 7},"
          "{\"ph\": \"X\", \"args\": 0, \"cat\": \"kernel\", \"name\": \"b\", \"ts\": 1, \"pid\": 0, \"tid\": 7}]"),
        SIZE_MAX, NULL);
    assert_int_equal(trace->kind[0], EVENT_INSTANT);
    assert_int_equal(trace->kind[1], EVENT_KERNEL);
    assert_int_equal(trace->kind[2], EVENT_KERNEL);
    trace_free(trace);
}

static void every_prefix_ends_in_a_trace_or_an_error(void **state)
{
    struct steptime_error err;
    struct trace *whole = read_pieces(str_of(small), SIZE_MAX, &err);
    assert_int_equal(whole->count, 4);
    for (size_t length = 0; length < strlen(small); length++) {
        err.message[0] = 0;
        struct trace *trace = read_pieces((str){small, length}, SIZE_MAX, &err);
        assert_true(trace ? trace->count <= 4 : err.message[0]);
        if (trace)
            same_rows(trace, whole, trace->count);
        trace_free(trace);
    }
    trace_free(whole);
}

static void pieces_of_any_size_give_the_same_trace(void **state)
{
    struct trace *whole = read_pieces(str_of(small), SIZE_MAX, NULL);
    for (size_t chunk = 1; chunk < 200; chunk++) {
        struct trace *trace = read_pieces(str_of(small), chunk, NULL);
        assert_int_equal(trace->count, whole->count);
        assert_int_equal(trace->repaired, whole->repaired);
        assert_int_equal(trace->note_count, whole->note_count);
        assert_int_equal(trace->info.rank, 2);
        same_rows(trace, whole, whole->count);
        trace_free(trace);
    }
    trace_free(whole);
}

/* ---- real traces ---- */

/* All events that are whole in the prefix are in its trace, and nothing else is. */
static void cut_everywhere(const char *path, size_t cuts)
{
    struct buf text = shared_bytes(path);
    struct trace *whole = read_pieces(buf_str(&text), SIZE_MAX, NULL);
    assert_int_equal(whole->note_count, 0);
    uint32_t before = 0;
    for (size_t cut = 1; cut <= cuts; cut++) {
        const size_t length = text.len * cut / (cuts + 1);
        struct steptime_error err;
        struct trace *trace = read_pieces((str){text.at, length}, SIZE_MAX, &err);
        if (trace) {
            assert_true(trace->count >= before && trace->count <= whole->count && trace->note_count > 0);
            assert_int_equal(trace->repaired, 0);
            before = trace->count;
            same_rows(trace, whole, before);
        }
        trace_free(trace);
    }
    assert_true(before > whole->count / 2);
    trace_free(whole);
    buf_free(&text);
}

static void a_cut_trace_keeps_its_whole_events_gpu(void **state)
{
    cut_everywhere("traces/kineto/hta_event_sync_multi_stream.json.gz", 1000);
}

static void a_cut_trace_keeps_its_whole_events_python(void **state)
{
    cut_everywhere("traces/kineto/tl_mi300_torch_compile_triton.json.gz", 1000);
}

static void a_cut_trace_keeps_its_whole_events_annotations(void **state)
{
    cut_everywhere("traces/kineto/hta_gpu_user_annotation.json.gz", 1000);
}

static void in_pieces(const char *path, size_t chunk)
{
    struct buf text = shared_bytes(path);
    struct trace *whole = read_pieces(buf_str(&text), SIZE_MAX, NULL),
                 *trace = read_pieces(buf_str(&text), chunk, NULL);
    assert_int_equal(trace->count, whole->count);
    assert_int_equal(trace->note_count, whole->note_count);
    same_rows(trace, whole, whole->count);
    trace_free(trace);
    trace_free(whole);
    buf_free(&text);
}

static void real_traces_do_not_depend_on_the_window(void **state)
{
    in_pieces("traces/kineto/hta_nccl_data_w2r0.json.gz", 1001);
    in_pieces("traces/kineto/tl_h100_bert_small.json.gz", 333);
    in_pieces("traces/producers/dlrm-26-egk.json.gz", 77);
    in_pieces("traces/kineto/hta_mtia_inference.json.gz", 4099);
}

static void names_and_signs_of_real_producers_survive(void **state)
{
    struct buf text = shared_bytes("traces/producers/odd/26-0.json");
    struct trace *trace = read_pieces(buf_str(&text), SIZE_MAX, NULL);
    assert_int_equal(trace->repaired, 1);
    assert_int_equal(trace->dropped, 0);
    assert_true(str_eq(trace_name(trace, 0), S("a\"b")));
    assert_int_equal(trace->notes[0].offset, 178);
    trace_free(trace);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rank_is_in_the_name_of_the_file_or_its_folder),
        cmocka_unit_test(files_of_other_kinds_are_named),
        cmocka_unit_test(json_that_is_no_trace_is_an_error),
        cmocka_unit_test(brackets_without_end_are_no_trouble),
        cmocka_unit_test(a_phase_is_not_that_of_an_event_before),
        cmocka_unit_test(every_prefix_ends_in_a_trace_or_an_error),
        cmocka_unit_test(pieces_of_any_size_give_the_same_trace),
        cmocka_unit_test(a_cut_trace_keeps_its_whole_events_gpu),
        cmocka_unit_test(a_cut_trace_keeps_its_whole_events_python),
        cmocka_unit_test(a_cut_trace_keeps_its_whole_events_annotations),
        cmocka_unit_test(real_traces_do_not_depend_on_the_window),
        cmocka_unit_test(names_and_signs_of_real_producers_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
