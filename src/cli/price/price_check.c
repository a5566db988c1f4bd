/* SPDX-License-Identifier: Apache-2.0 */
#include "price_check.h"

#include <stdlib.h>

#include "base/error.h"
#include "io/writer.h"
#include "predict/price/check.h"
#include "read/read.h"

bool price_check_read(const char *path, struct price_recorded *recorded, struct steptime_error *err)
{
    struct arena scratch = {0};
    int64_t *devices;
    *recorded = (struct price_recorded){.trace = trace_read(path, NULL, err), .device = S("")};
    if (!recorded->trace)
        return false;
    const uint32_t count = trace_devices(recorded->trace, &scratch, &devices);
    arena_free(&scratch);
    if (!count)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1,
                       "has no work of a device: a trace of the script on the GPU is wanted");
    if (!recorded->trace->step_count)
        return fail_at(err, STEPTIME_INPUT, str_of(path), -1, "has no steps");
    if (recorded->trace->info.device_count)
        recorded->device = recorded->trace->info.devices[0].name;
    return true;
}

/* ---- its step in the middle ---- */

struct lasting {
    int64_t ns;
    uint32_t step;
};

static int by_time(const void *a, const void *b)
{
    const struct lasting *const x = a, *const y = b;
    return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns) : (x->step > y->step) - (x->step < y->step);
}

/* The first takes what later ones do not: it counts only where few others are there. */
static uint32_t middle_step(const struct trace *trace, struct arena *scratch)
{
    const uint32_t first = trace->step_count > 2, count = trace->step_count - first;
    struct lasting *const order = arena_array(scratch, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        const struct step *const step = &trace->steps[first + i];
        order[i] = (struct lasting){step->end_ns - step->start_ns, first + i};
    }
    qsort(order, count, sizeof *order, by_time);
    return order[(count - 1) / 2].step;
}

static bool write_rows(const struct call *call, const struct buf *table, struct steptime_error *err)
{
    const char *const to = call_text(call, "kernels");
    if (!to)
        return true;
    struct writer *const out = writer_open(to, err);
    if (out)
        writer_put(out, buf_str(table));
    return out && writer_close(out, err);
}

bool price_check_show(const struct call *call, const struct price_asked *asked, const struct price_run *run,
                      const struct price *price, const struct price_recorded *recorded, struct report *report,
                      struct steptime_error *err)
{
    struct arena scratch = {0};
    struct buf table = {0};
    struct check_side said;
    uint32_t count;
    const struct work_classes *const classes = work_classes_new(recorded->trace, &scratch);
    const struct program program =
        program_of_step(recorded->trace, classes, middle_step(recorded->trace, &scratch), &scratch);
    const struct check_side real = check_recorded(&program, report_arena(report));
    bool good = check_said(&run->source, &asked->predict, &price->hardware, report_arena(report), &said, err);
    if (good) {
        const uint32_t kernels = check_table(&said, &real, price->hardware.name, &table);
        const struct check_row *const rows = check_rows(&said, &real, report_arena(report), &count);
        const struct check_shown shown = {
            &said, &real, price->step.range, program.step, kernels, call_text(call, "kernels"), price->hardware.name};
        check_show(&shown, rows, count, report);
        good = write_rows(call, &table, err);
    }
    buf_free(&table);
    arena_free(&scratch);
    return good;
}
