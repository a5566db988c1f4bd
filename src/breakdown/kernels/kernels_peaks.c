/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_peaks.h"

#include "base/error.h"

static const struct hardware *gpu_of_lane(const struct trace *trace, const struct catalogue *catalogue, uint32_t lane,
                                          struct peaks *peaks, str asked, struct arena *arena)
{
    const struct device_info *device = trace_device_info(trace, trace->lanes[lane].process);
    if (!asked.len && !device)
        return NULL;
    const str name = asked.len ? asked : device->name;
    const struct gpu_signs signs =
        asked.len ? (struct gpu_signs){-1, -1} : (struct gpu_signs){device->memory_bytes, device->sms};
    const struct hardware *gpu = catalogue_gpu(catalogue, name, signs);
    if (!peaks->device.len) {
        peaks->device = str_copy(arena, gpu ? gpu->name : name);
        peaks->closest = gpu ? S("") : catalogue_hint(catalogue, arena, name);
    }
    return gpu;
}

/* CUTLASS and cuBLAS name the instruction (m16n8k8) or the type; cuBLAS's nvjet kernels know tensor cores only. */
static bool rounds_fp32(str name)
{
    static const char *const words[] = {"tf32", "s1688", "tensorop", "nvjet"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_has(name, str_of(words[i])))
            return true;
    return false;
}

static const uint8_t *judge_names(const struct trace *trace, struct arena *arena)
{
    const uint32_t count = trace_text_count(trace);
    uint8_t *flags = arena_alloc(arena, count);
    for (uint32_t id = 0; id < count; id++)
        flags[id] = rounds_fp32(trace_text(trace, id));
    return flags;
}

struct peaks peaks_new(const struct trace *trace, str device, struct arena *arena)
{
    const struct catalogue *catalogue = catalogue_built_in();
    struct peaks peaks = {.by_lane = arena_array(arena, trace->lane_count, sizeof *peaks.by_lane),
                          .rounds_fp32 = judge_names(trace, arena)};
    bool first = true;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        if (!trace->lanes[lane].device || !trace_rows(trace, lane, NEST_WORK).count)
            continue;
        peaks.by_lane[lane] = gpu_of_lane(trace, catalogue, lane, &peaks, device, arena);
        peaks.common = first || peaks.common == peaks.by_lane[lane] ? peaks.by_lane[lane] : NULL;
        first = false;
    }
    return peaks;
}

bool peaks_check(str device, struct steptime_error *err)
{
    struct arena scratch = {0};
    const struct catalogue *catalogue = catalogue_built_in();
    bool known = !device.len || catalogue_gpu(catalogue, device, (struct gpu_signs){-1, -1});
    if (!known) {
        const str hint = catalogue_hint(catalogue, &scratch, device);
        fail(err, STEPTIME_USAGE, "no device, or several, go by '%.*s'; %.*s", (int)device.len, device.at,
             (int)hint.len, hint.at);
    }
    arena_free(&scratch);
    return known;
}

double peak_flop_per_s(const struct hardware *gpu, const struct op_cost *cost, bool rounds_fp32)
{
    enum precision precision;
    if (!gpu || !dtype_precision(cost->dtype, cost->matrix, &precision))
        return 0;
    if (precision == PRECISION_FP32_MATRIX && rounds_fp32)
        precision = PRECISION_TF32;
    return hardware_peak(gpu, precision);
}
