/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a sketch: an error that says something, or the numbers of a rank that keep the promises of ranks.h, and
 * that ranks can be put together from, and written and read again as the same. So what is shown of it by `summary`, and
 * its path.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "breakdown/ranks/ranks_show.h"
#include "inputs/inputs.h"
#include "memory_file.h"
#include "report/report.h"
#include "sketch/numbers/job_sketch.h"
#include "sketch/numbers/kernels_sketch.h"
#include "sketch/numbers/operators_sketch.h"
#include "sketch/numbers/path_sketch.h"
#include "sketch/numbers/summary_sketch.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_numbers(const struct rank_numbers *rank)
{
    for (uint32_t i = 0; i < rank->collective_count; i++) {
        const struct rank_collective *collective = &rank->collectives[i];
        assert(collective->of.kind < COLLECTIVE_KINDS);
        assert(collective->of.call_ns >= 0 && collective->of.start_ns >= 0 && collective->of.dur_ns >= -1);
        assert(!i || rank->collectives[i - 1].of.call_ns <= collective->of.call_ns);
        assert(collective->after == RANK_FIRST || collective->after < rank->collective_count);
        const struct rank_before before = rank_before(&rank->befores, i);
        for (int since = 0; since < RANK_SINCES; since++)
            for (int time = 0; time < RANK_TIMES; time++)
                assert(before.ns[since][time] >= 0);
    }
}

static void check_again(const struct job_numbers *rank, struct arena *arena)
{
    const struct job_rank whole = job_rank_of(rank);
    struct sketch sketch = {0}, other = {0}, loose = {.loose = true};
    struct job_numbers again;
    job_sketch_write(&whole, arena, &sketch);
    assert(job_sketch_read(&sketch, 1, arena, &again, NULL));
    const struct job_rank once = job_rank_of(&again);
    job_sketch_write(&once, arena, &loose);
    assert(job_sketch_read(&loose, 1, arena, &again, NULL));
    assert(again.numbers.collective_count == rank->numbers.collective_count &&
           again.holdups.count == rank->holdups.count);
    const struct job_rank twice = job_rank_of(&again);
    job_sketch_write(&twice, arena, &other);
    for (int i = 0; i < SKETCH_SECTIONS; i++)
        assert(str_eq(sketch.sections[i], other.sections[i]));
}

static void check_together(const struct sketch *sketch, const struct job_numbers *rank, struct arena *arena)
{
    struct job_numbers other;
    struct job job;
    assert(job_sketch_read(sketch, 1, arena, &other, NULL));
    job_of((const struct job_rank[]){job_rank_of(rank), job_rank_of(&other)}, 2, arena, &job);
    struct report *report = report_new(arena, S("ranks"));
    ranks_show_late(&job.ranks, job.late, job.sentence, report);
    ranks_show(&job.ranks, report);
    job_show_why(&job, report);
    verdict_show(&job.verdict, 2, report);
}

/* What is shown of it alone, and of it twice. */
static bool check_summary(const struct input_file *file, struct arena *arena, struct steptime_error *err)
{
    struct summary *summary = arena_alloc(arena, sizeof *summary);
    struct sketch again = {0};
    if (!file->sketch->sections[SKETCH_SUMMARY].len)
        return true;
    if (!summary_sketch_read(file->sketch, 0, arena, summary, err))
        return false;
    summary_sketch_write(summary, NULL, arena, &again);
    assert(summary_sketch_read(&again, 0, arena, summary, NULL));
    const struct summary *const ranks[] = {summary, summary};
    for (uint32_t count = 1; count <= 2; count++)
        summary_show(ranks, count, 9, (struct again_told){.ns = NAN}, report_new(arena, S("summary")));
    return true;
}

static bool check_operators(const struct input_file *file, struct arena *arena, struct steptime_error *err)
{
    struct operator_paths paths;
    if (!file->sketch->sections[SKETCH_OPERATORS].len)
        return true;
    if (!operators_sketch_read(file->sketch, arena, &paths, err))
        return false;
    for (uint32_t i = 0; i < paths.count; i++)
        assert(paths.at[i].parent == PATH_OUTERMOST || paths.at[i].parent < i);
    struct sketch again = {.sections[SKETCH_OPERATORS] = operators_sketch_write(&paths, arena)};
    assert(operators_sketch_read(&again, arena, &paths, err));
    return true;
}

static bool check_kernels(const struct input_file *file, struct arena *arena, struct steptime_error *err)
{
    struct kernel_times times;
    if (!kernels_sketch_read(file->sketch, arena, &times, err))
        return false;
    struct sketch again = {.sections[SKETCH_KERNELS] = kernels_sketch_write(&times, arena)};
    assert(kernels_sketch_read(&again, arena, &times, err));
    kernel_times_show((const struct kernel_times_rank[]){{0, &times}, {1, &times}}, 2, report_new(arena, S("ranks")));
    return true;
}

static bool check_path(const struct input_file *file, struct arena *arena, struct steptime_error *err)
{
    struct critical_path path;
    struct sketch again = *file->sketch;
    if (!file->sketch->sections[SKETCH_PATH].len)
        return true;
    if (!path_sketch_read(file->sketch, 0, arena, &path, err))
        return false;
    again.sections[SKETCH_PATH] = path_sketch_write(&path, true, arena);
    assert(path_sketch_read(&again, 0, arena, &path, NULL));
    for (uint32_t i = 0; i < path.stretch_count; i++)
        assert(path.names[path.stretches[i].name].len < SIZE_MAX);
    return true;
}

static bool take(void *context, struct input_file *file, struct steptime_error *err)
{
    struct job_numbers rank;
    struct arena *arena = &file->arena;
    (void)context;
    if (!file->sketch)
        return true;
    if (!job_sketch_read(file->sketch, 0, arena, &rank, err))
        return false;
    check_numbers(&rank.numbers);
    check_again(&rank, arena);
    check_together(file->sketch, &rank, arena);
    return check_summary(file, arena, err) && check_path(file, arena, err) && check_operators(file, arena, err) &&
           check_kernels(file, arena, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct steptime_error err = {0};
    struct arena arena = {0};
    struct inputs inputs;
    const char *const path = memory_file(bytes, size);
    if (!sketch_sniff((str){(const char *)bytes, size}) && size > 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) != 0)
        return 0; /* the target `trace` meets it */
    const struct inputs_asked asked = {
        .paths = (const char *const[]){path, path}, .count = 2, .threads = 1, .sketches = true, .take = take};
    if (inputs_read(&asked, &inputs, &err))
        inputs_tell(&inputs, report_new(&arena, S("ranks")));
    else
        assert(err.code == STEPTIME_INPUT && err.message[0]);
    inputs_close(&inputs);
    arena_free(&arena);
    return 0;
}
