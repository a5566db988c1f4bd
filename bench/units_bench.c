/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units_bench TRACE...: what the kernel models say of every operator of a trace that launches, beside what was recorded
 * on the device. Tab-separated: file, device, operator, way, form, sizes of the largest kernel, element type, kernels,
 * launches, recorded us, modelled us, standard deviation of ln(true / modelled), shapes, values, the kernel recorded
 * longest. Of the step in the middle; a line "total" behind each trace has its sums and the interval of 90 %.
 * bench/accuracy_traces.py sums it up.
 */
#include <math.h>
#include <stdio.h>

#include "program/program.h"
#include "hw/hardware.h"
#include "model/estimate/interval.h"
#include "model/estimate/model.h"
#include "predict/plan/units.h"
#include "read/read.h"

struct recorded {
    double us, longest_us;
    uint32_t launches;
    str kernel; /* that took longest */
};

/* Communication aside. */
static struct recorded recorded_of(const struct program *p, uint32_t op)
{
    struct recorded recorded = {0};
    for (uint32_t i = 0; i < p->ops[op].launches; i++) {
        const struct program_launch *launch = &p->launches[p->ops[op].first_launch + i];
        if (launch->work == WORK_COMMUNICATION || launch->dur_ns <= 0)
            continue;
        const double us = (double)launch->dur_ns / 1e3;
        recorded.us += us;
        recorded.launches++;
        if (us <= recorded.longest_us)
            continue;
        recorded.longest_us = us;
        recorded.kernel = launch->kernel;
    }
    return recorded;
}

static struct estimate_sum modelled(const struct lowering *lowering, const struct models *models,
                                    const struct hardware *hardware, const struct kernel **largest)
{
    struct estimate_sum sum = {0};
    double most = -1;
    for (uint32_t i = 0; i < lowering->count; i++) {
        struct estimate estimate;
        struct steptime_error err;
        if (!models_estimate(models, hardware, &lowering->kernels[i], &estimate, &err))
            continue;
        estimate_sum_add(&sum, &estimate, estimate.us);
        if (estimate.us <= most)
            continue;
        most = estimate.us;
        *largest = &lowering->kernels[i];
    }
    return sum;
}

/* Sizes with an x between; "-" where there is no kernel. */
static void print_kernel(const struct kernel *kernel)
{
    if (!kernel) {
        printf("-\t-\t-");
        return;
    }
    const str form = kernel_form_word(kernel->form), dtype = dtype_word(kernel->dtype);
    printf("%.*s%s\t", (int)form.len, form.at, kernel->backward ? "/b" : "");
    const struct form_sizes sizes = form_sizes_of(kernel->form);
    for (uint32_t i = 0; i < sizes.count; i++)
        if (!sizes.at[i].optional || kernel_size(kernel, &sizes.at[i]) != sizes.at[i].otherwise)
            printf("%s%lld", i ? "x" : "", (long long)kernel_size(kernel, &sizes.at[i]));
    printf("\t%.*s", (int)dtype.len, dtype.at);
}

/* In one line, cut where it is long. */
static void print_text(str text)
{
    enum { MOST = 400 };
    putchar('\t');
    for (size_t i = 0; i < text.len && i < MOST; i++)
        putchar((unsigned char)text.at[i] < ' ' ? ' ' : text.at[i]);
}

/* What has kernels, or bytes: the rest cannot be told. */
static bool told(const struct unit *unit)
{
    const enum lowering_way way = unit->lowering.way;
    return way == LOWERED_TO_KERNELS || way == LOWERED_TO_CALLS || way == LOWERED_TO_BYTES;
}

struct total {
    double recorded_us, guessed_us; /* of these of operators that are told by their bytes alone */
    struct estimate_sum modelled;
};

static void total_add(struct total *total, const struct unit *unit, double recorded_us, const struct estimate_sum *sum)
{
    if (!told(unit))
        return;
    total->recorded_us += recorded_us;
    total->guessed_us += unit->lowering.way == LOWERED_TO_BYTES ? recorded_us : 0;
    estimate_sum_join(&total->modelled, sum);
}

static void print_total(const char *path, const struct hardware *hardware, const struct total *total)
{
    double low_us, high_us;
    estimate_sum_interval(&total->modelled, 0.9, &low_us, &high_us);
    if (total->recorded_us > 0 && total->modelled.us > 0)
        printf("total\t%s\t%.*s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", path, (int)hardware->name.len, hardware->name.at,
               total->recorded_us, total->guessed_us, total->modelled.us, low_us, high_us);
}

static void print_unit(const char *path, const struct program *program, const struct unit *unit,
                       const struct models *models, const struct hardware *hardware, struct total *total)
{
    const struct program_op *op = &program->ops[unit->op];
    const struct recorded recorded = recorded_of(program, unit->op);
    const str way = lowering_way_word(unit->lowering.way);
    const struct kernel *largest = NULL;
    const struct estimate_sum sum = modelled(&unit->lowering, models, hardware, &largest);
    double shared, own;
    estimate_sum_sd(&sum, &shared, &own);
    if (!recorded.launches)
        return;
    total_add(total, unit, recorded.us, &sum);
    printf("%s\t%.*s\t%.*s\t%.*s\t", path, (int)hardware->name.len, hardware->name.at, (int)op->name.len, op->name.at,
           (int)way.len, way.at);
    print_kernel(largest);
    printf("\t%u\t%u\t%.3f\t%.3f\t%.4f", unit->lowering.count, recorded.launches, recorded.us, sum.us,
           hypot(shared, own));
    print_text(op->arguments.dims);
    print_text(op->arguments.values);
    print_text(recorded.kernel);
    putchar('\n');
}

static void print_trace(const char *path, const struct models *models)
{
    struct arena arena = {0};
    struct steptime_error err;
    struct trace *trace = trace_read(path, NULL, &err);
    if (!trace)
        return;
    const struct work_classes *classes = work_classes_new(trace, &arena);
    struct programs *programs = programs_open(trace, classes);
    const struct program program = programs_step(programs, trace->step_count / 2, &arena);
    struct hardware hardware;
    if (program.launch_count && program.device.len && hardware_find(program.device, &arena, &hardware, &err)) {
        const struct units units = units_of(&program, &arena);
        struct total total = {0};
        for (uint32_t i = 0; i < units.count; i++)
            print_unit(path, &program, &units.at[i], models, &hardware, &total);
        print_total(path, &hardware, &total);
    }
    programs_close(programs);
    arena_free(&arena);
    trace_free(trace);
}

int main(int count, char **paths)
{
    struct arena arena = {0};
    const struct models *models = models_new(&arena);
    for (int i = 1; i < count; i++)
        print_trace(paths[i], models);
    arena_free(&arena);
    return 0;
}
