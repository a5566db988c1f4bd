/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of record that need no process: names, notes, a clock set by another, stacks joined with times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/writer.h"
#include "read/read.h"
#include "record/notes.h"
#include "record/record.h"
#include "record/stacks.h"
#include "record/warp.h"
#include "unit/cmocka_first.h"

/* ---- names ---- */

static void check_name(const char *const *argv, const char *wanted)
{
    struct arena arena = {0};
    assert_string_equal(record_name(argv, &arena).at, wanted);
    arena_free(&arena);
}

static void files_are_named_after_the_script(void **state)
{
    check_name((const char *const[]){"python", "a/train.py", "--x", "b.py", NULL}, "train");
    check_name((const char *const[]){"python", "-m", "shop.train", NULL}, "train");
    check_name((const char *const[]){"torchrun", "--nproc-per-node", "2", "fit it.py", NULL}, "fit_it");
    check_name((const char *const[]){"python", "-m", "torch.distributed.run", "fit.py", NULL}, "fit");
    check_name((const char *const[]){"jupyter", "nbconvert", "--execute", "Lesson 1.ipynb", NULL}, "Lesson_1");
    check_name((const char *const[]){"python", "-m", "nbconvert", "--output", "b.ipynb", "a.ipynb", NULL}, "a");
    check_name((const char *const[]){"/opt/shop/bin/shop-train", NULL}, "shop-train");
    check_name((const char *const[]){"python", "-m", NULL}, "python");
    check_name((const char *const[]){"/", NULL}, "script");
}

/* ---- notes ---- */

static void notes_come_while_they_are_written(void **state)
{
    char path[] = "/tmp/notes-XXXXXX";
    struct arena arena = {0};
    struct told told;
    const int made = mkstemp(path);
    FILE *out = fdopen(made, "w");
    struct notes notes = {.path = path};
    assert_false(notes_next(&notes, &arena, &told));
    fputs("12 begun train 10 2 5\nno note\n12 stolen train\n12 sa", out);
    fflush(out);
    assert_true(notes_next(&notes, &arena, &told));
    assert_int_equal(told.process, 12);
    assert_int_equal(told.word, NOTE_BEGUN);
    assert_true(str_eq(told.base, S("train")));
    assert_true(str_eq(told.rest, S("10 2 5")));
    assert_false(notes_next(&notes, &arena, &told));
    fputs("id train-rank1 it happened\n", out);
    fclose(out);
    assert_true(notes_next(&notes, &arena, &told));
    assert_int_equal(told.word, NOTE_SAID);
    assert_true(str_eq(told.rest, S("it happened")));
    assert_false(notes_next(&notes, &arena, &told));
    notes_close(&notes);
    unlink(path);
    arena_free(&arena);
}

/* ---- a clock set by another ---- */

static void time_is_stretched_evenly_between_anchors(void **state)
{
    struct warp warp = {0};
    assert_int_equal(warp_time(&warp, 7), 7);
    warp_add(&warp, 200, 1010);
    warp_add(&warp, 100, 1000);
    warp_finish(&warp);
    assert_int_equal(warp_time(&warp, 100), 1000);
    assert_int_equal(warp_time(&warp, 150), 1005);
    assert_int_equal(warp_time(&warp, 200), 1010);
    assert_int_equal(warp_time(&warp, 90), 990);
    assert_int_equal(warp_time(&warp, 230), 1040);
    warp_free(&warp);
}

static void order_survives_any_anchors(void **state)
{
    struct warp warp = {0};
    uint32_t seed = 1;
    for (int i = 0; i < 200; i++) {
        seed = seed * 1664525 + 1013904223;
        warp_add(&warp, seed >> 20, (seed >> 8) & 0xfff);
    }
    warp_finish(&warp);
    int64_t before = INT64_MIN;
    for (int64_t from = -10; from < 5000; from++) {
        const int64_t to = warp_time(&warp, from);
        assert_true(to >= before);
        before = to;
    }
    warp_free(&warp);
}

/* ---- stacks joined with times ---- */

/* A trace of one step, times in us; `calls` are names and their begin and length. */
struct call {
    const char *category, *name;
    int begin, length;
};

static void write_trace(const char *path, const struct call *calls)
{
    struct writer *out = writer_open(path, NULL);
    assert_non_null(out);
    writer_put(out, S("{\"schemaVersion\": 1, \"traceEvents\": [\n"));
    for (int i = 0; calls[i].name; i++)
        writer_printf(out,
                      "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 5, \"tid\": 6, "
                      "\"ts\": %d, \"dur\": %d, \"args\": {}}",
                      i ? ",\n" : "", calls[i].category, calls[i].name, calls[i].begin, calls[i].length);
    writer_put(out, S("\n]}\n"));
    assert_true(writer_close(out, NULL));
}

static uint32_t find(const struct trace *trace, const char *name)
{
    for (uint32_t row = 0; row < trace->count; row++)
        if (str_eq(trace_name(trace, row), str_of(name)))
            return row;
    return ROW_NONE;
}

static void check_frame(const struct trace *trace, const char *name, int64_t begin_us, int64_t end_us)
{
    const uint32_t row = find(trace, name);
    assert_int_not_equal(row, ROW_NONE);
    assert_int_equal(trace->kind[row], EVENT_PYTHON);
    assert_int_equal(trace->origin_ns + trace->start_ns[row], begin_us * 1000);
    assert_int_equal(trace->origin_ns + trace_end_ns(trace, row), end_us * 1000);
}

static const struct call true_times[] = {
    {"user_annotation", "ProfilerStep#3", 1000, 100}, {"cpu_op", "aten::a", 1010, 10}, {"cpu_op", "aten::b", 1040, 20},
    {"cpu_op", "aten::only_here", 1070, 5},           {"cpu_op", "aten::c", 1080, 10}, {0}};

/* Twice as slow, with a call of its own and frames. */
static const struct call slow_stacks[] = {{"user_annotation", "ProfilerStep#9", 5000, 200},
                                          {"python_function", "train.py(1): step", 5000, 200},
                                          {"python_function", "train.py(7): prepare", 5010, 40},
                                          {"cpu_op", "aten::a", 5020, 20},
                                          {"cpu_op", "aten::only_there", 5045, 2},
                                          {"python_function", "train.py(9): between", 5050, 20},
                                          {"cpu_op", "aten::b", 5080, 40},
                                          {"cpu_op", "aten::c", 5160, 20},
                                          {0}};

static void frames_take_the_times_of_what_they_call(void **state)
{
    char folder[] = "/tmp/stacks-XXXXXX";
    struct arena arena = {0};
    struct stacks_joined joined;
    assert_non_null(mkdtemp(folder));
    const char *times = str_printf(&arena, "%s/t.json", folder).at,
               *stacks = str_printf(&arena, "%s/s.json", folder).at;
    const char *to = str_printf(&arena, "%s/j.json.gz", folder).at;
    write_trace(times, true_times);
    write_trace(stacks, slow_stacks);
    assert_true(stacks_join(times, stacks, to, &joined, NULL));
    assert_int_equal(joined.operators, 4);
    assert_int_equal(joined.paired, 3);
    assert_int_equal(joined.frames, 3);
    assert_true(joined.note_ns == 0); /* so few frames do not tell */
    struct trace *trace = trace_read(to, NULL, NULL);
    assert_non_null(trace);
    assert_int_equal(trace->count, 8);
    check_frame(trace, "train.py(1): step", 1000, 1100);
    check_frame(trace, "train.py(7): prepare", 1005, 1025);
    check_frame(trace, "train.py(9): between", 1025, 1035);
    const uint32_t b = find(trace, "aten::b");
    assert_int_equal(trace->origin_ns + trace->start_ns[b], 1040000);
    trace_free(trace);
    unlink(times), unlink(stacks), unlink(to), rmdir(folder);
    arena_free(&arena);
}

/*
 * Between two operators lie 400 us with a hundred built-in functions of 1 us, and 400 us with none: the notes of the first took 50 us of
 * the 50 that the recording with stacks is longer, so the second half keeps its length.
 */
static void what_noting_frames_took_is_no_time_of_theirs(void **state)
{
    enum { FRAMES = 100 };
    static struct call slow[FRAMES + 6] = {{"user_annotation", "ProfilerStep#9", 5000, 1000},
                                           {"python_function", "train.py(1): step", 5000, 1000},
                                           {"cpu_op", "aten::a", 5010, 10},
                                           {"python_function", "train.py(9): quiet", 5420, 400},
                                           {"cpu_op", "aten::b", 5820, 10}};
    static const struct call fast[] = {{"user_annotation", "ProfilerStep#3", 1000, 950},
                                       {"cpu_op", "aten::a", 1010, 10},
                                       {"cpu_op", "aten::b", 1770, 10},
                                       {0}};
    char folder[] = "/tmp/stacks-XXXXXX";
    struct arena arena = {0};
    struct stacks_joined joined;
    assert_non_null(mkdtemp(folder));
    const char *times = str_printf(&arena, "%s/t.json", folder).at,
               *stacks = str_printf(&arena, "%s/s.json", folder).at;
    for (int i = 0; i < FRAMES; i++)
        slow[5 + i] = (struct call){"python_function", "<built-in function len>", 5021 + 4 * i, 1};
    write_trace(times, fast);
    write_trace(stacks, slow);
    assert_true(stacks_join(times, stacks, times, &joined, NULL));
    assert_int_equal(joined.frames, FRAMES + 2);
    assert_true(joined.note_ns == 250); /* no more than that is taken for it */
    struct trace *trace = trace_read(times, NULL, NULL);
    const uint32_t quiet = find(trace, "train.py(9): quiet");
    assert_in_range(trace->dur_ns[quiet], 398000, 402000); /* 375,000 if both halves shrank alike */
    trace_free(trace);
    unlink(times), unlink(stacks), rmdir(folder);
    arena_free(&arena);
}

static void what_is_no_trace_leaves_the_file_alone(void **state)
{
    char folder[] = "/tmp/stacks-XXXXXX";
    struct arena arena = {0};
    struct stacks_joined joined;
    struct steptime_error err;
    assert_non_null(mkdtemp(folder));
    const char *times = str_printf(&arena, "%s/t.json", folder).at;
    write_trace(times, true_times);
    assert_false(stacks_join(times, "/tmp/no-such-file", times, &joined, &err));
    assert_int_equal(err.code, STEPTIME_INPUT);
    struct trace *trace = trace_read(times, NULL, NULL);
    assert_int_equal(trace->count, 5);
    trace_free(trace);
    unlink(times), rmdir(folder);
    arena_free(&arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_named_after_the_script),
        cmocka_unit_test(notes_come_while_they_are_written),
        cmocka_unit_test(time_is_stretched_evenly_between_anchors),
        cmocka_unit_test(order_survives_any_anchors),
        cmocka_unit_test(frames_take_the_times_of_what_they_call),
        cmocka_unit_test(what_noting_frames_took_is_no_time_of_theirs),
        cmocka_unit_test(what_is_no_trace_leaves_the_file_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
