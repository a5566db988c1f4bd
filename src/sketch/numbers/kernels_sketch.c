/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_sketch.h"

#include "base/error.h"
#include "base/varint.h"

static const int64_t most_ns = (int64_t)1 << 60;

/* Of each how many empty ones lie before it, and its launches; those of the last are what is left, and not written. */
static void code_bins(struct code *code, struct kernel_time *time)
{
    struct buf packed = {0};
    const bool reads = code_reads(code);
    const uint8_t *at = time->bins.packed;
    int64_t left = (int64_t)time->count;
    uint32_t next = 0;
    code_small(code, &time->bins.count, LOG_BINS + 1);
    for (uint32_t i = 0; i < time->bins.count && !code->damaged; i++) {
        uint32_t skipped = reads ? 0 : (uint32_t)varint_get(&at);
        int64_t count = reads ? left : (int64_t)varint_get(&at);
        code_small(code, &skipped, LOG_BINS - next);
        if (i + 1 < time->bins.count)
            code_int(code, &count, 1, 1, left);
        code->damaged |= count < 1;
        varint_put(&packed, skipped);
        varint_put(&packed, (uint64_t)count);
        next += skipped + 1;
        left -= count;
    }
    code->damaged |= left != 0;
    if (reads)
        time->bins.packed = (const uint8_t *)str_copy(code->arena, buf_str(&packed)).at;
    buf_free(&packed);
}

static void code_time(struct code *code, struct kernel_time *time)
{
    int64_t count = (int64_t)time->count;
    code_kept(code, &time->name);
    code_int(code, &count, 1, 1, INT64_MAX);
    time->count = (uint64_t)count;
    code_int(code, &time->least_ns, 0, 0, most_ns);
    code_int(code, &time->most_ns, time->least_ns, time->least_ns, most_ns);
    code_int(code, &time->total_ns, 0, 0, INT64_MAX);
    code_bins(code, time);
}

static void code_times(struct code *code, struct kernel_times *times)
{
    code_small(code, &times->count, KERNEL_TIMES_MOST + 1);
    if (code_reads(code))
        times->at = arena_array(code->arena, times->count, sizeof *times->at);
    for (uint32_t i = 0; i < times->count && !code->damaged; i++) {
        struct kernel_time time = code_reads(code) ? (struct kernel_time){0} : times->at[i];
        code_time(code, &time);
        if (code_reads(code))
            times->at[i] = time;
    }
}

str kernels_sketch_write(const struct kernel_times *times, struct arena *arena)
{
    struct buf bytes = {0};
    struct code code = code_writer(&bytes);
    struct kernel_times copy = *times;
    code_times(&code, &copy);
    const str section = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return section;
}

bool kernels_sketch_read(const struct sketch *sketch, struct arena *arena, struct kernel_times *out,
                         struct steptime_error *err)
{
    *out = (struct kernel_times){0};
    if (!sketch->sections[SKETCH_KERNELS].len)
        return true;
    struct code code = sketch_section(sketch, SKETCH_KERNELS, arena);
    code_times(&code, out);
    return code_whole(&code) || fail(err, STEPTIME_INPUT, "is a damaged sketch");
}
