/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the recorded device time belongs to operators whose kernels are known, over all shared traces with
 * shapes. Skips where they are absent.
 */
#include "unit/cmocka_first.h"

#include <glob.h>
#include <stdlib.h>

#include "program/program.h"
#include "ops/operators/operators.h"
#include "predict/plan/units.h"
#include "read/read.h"
#include "unit/shared_data.h"

struct shares {
    double us[LOWERING_WAYS];
    double outside_us; /* by no operator that launches */
    size_t files;
};

/* Device time of the launches made inside the unit's calls, communication aside. */
static double unit_us(const struct program *p, uint32_t op)
{
    double us = 0;
    for (uint32_t i = op; i < p->ops[op].end; i++)
        for (uint32_t l = p->ops[i].first_launch; l < p->ops[i].first_launch + p->ops[i].launches; l++)
            if (p->launches[l].work != WORK_COMMUNICATION && p->launches[l].dur_ns > 0)
                us += (double)p->launches[l].dur_ns / 1000;
    return us;
}

static double program_us(const struct program *p)
{
    double us = 0;
    for (uint32_t l = 0; l < p->launch_count; l++)
        if (p->launches[l].work != WORK_COMMUNICATION && p->launches[l].dur_ns > 0)
            us += (double)p->launches[l].dur_ns / 1000;
    return us;
}

static void add_step(const struct program *program, struct shares *shares, struct arena *arena)
{
    const struct units units = units_of(program, arena);
    double inside = 0;
    for (uint32_t i = 0; i < units.count; i++) {
        const double us = unit_us(program, units.at[i].op);
        shares->us[units.at[i].lowering.way] += us;
        inside += us;
    }
    shares->outside_us += program_us(program) - inside;
}

static bool has_shapes(const struct program *program)
{
    uint64_t with = 0;
    for (uint32_t i = 0; i < program->count; i++)
        with += program->ops[i].arguments.dims.len > 0;
    return with > 0 && program->without_shapes * 2 < with;
}

static void add_file(const char *path, struct shares *shares)
{
    struct arena scratch = {0};
    struct trace *trace = trace_read(path, NULL, NULL);
    if (!trace)
        return;
    const struct work_classes *classes = work_classes_new(trace, &scratch);
    const struct program program = program_of_step(trace, classes, 0, &scratch);
    if (program.launch_count && has_shapes(&program)) {
        add_step(&program, shares, &scratch);
        shares->files++;
    }
    arena_free(&scratch);
    trace_free(trace);
}

static void most_of_the_device_time_is_lowered(void **state)
{
    static const char *const folders[] = {"traces/kineto/*.json.gz", "traces/multirank/*/*.json.gz"};
    struct shares shares = {0};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        glob_t files;
        if (!glob(shared_data(folders[i]), 0, NULL, &files))
            for (size_t k = 0; k < files.gl_pathc; k++)
                add_file(files.gl_pathv[k], &shares);
        globfree(&files);
    }
    if (!shares.files)
        skip();
    double all = 0;
    for (int way = 0; way < LOWERING_WAYS; way++)
        all += shares.us[way];
    const double lowered = (shares.us[LOWERED_TO_KERNELS] + shares.us[LOWERED_TO_CALLS]) / all;
    print_message(
        "# %zu traces with shapes: %.1f %% of the device time of their operators is lowered, %.1f %% by bytes\n",
        shares.files, 100 * lowered, 100 * shares.us[LOWERED_TO_BYTES] / all);
    assert_true(lowered > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_of_the_device_time_is_lowered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
