/* SPDX-License-Identifier: Apache-2.0 */
#include "runs_on.h"

#include "base/arena.h"

static bool has_any(str name, const char *const *words)
{
    for (; *words; words++)
        if (str_has(name, str_of(*words)))
            return true;
    return false;
}

/* Of CUTLASS, cuDNN, Triton and CK; of Tensile the types stand as letters; attention kernels know no other types. */
bool kernel_is_reduced(str name)
{
    static const char *const words[] = {
        "f16",   "fp16",  "bf16",  "BFloat16", "Half",      "half",      "hgemm", "h1688",    "h884",     "h16816",
        "fp8",   "mxfp",  "e4m3",  "e5m2",     "int8",      "_i8",       "_BBS_", "_B_BS_",   "_HHS_",    "_H_HS_",
        "_HBH_", "_BSS_", "_HSS_", "_I8",      "flash_fwd", "flash_bwd", "fmha",  "attn_fwd", "attn_bwd", NULL};
    return has_any(name, words);
}

bool kernel_is_single(str name)
{
    static const char *const words[] = {"sgemm", "f32", "fp32", "tf32", "float", "_SB_", NULL};
    return has_any(name, words);
}

static bool is_reduced_type(str text)
{
    static const char *const words[] = {"BFloat16", "c10::Half", "Float8", "float8", "bfloat16", NULL};
    return has_any(text, words);
}

static bool is_compiled(str name)
{
    return str_starts(name, S("Torch-Compiled Region")) || str_starts(name, S("CompiledFunction")) ||
           str_starts(name, S("triton_poi_")) || str_starts(name, S("triton_red_")) ||
           str_starts(name, S("triton_per_"));
}

static bool is_cuda(str name)
{
    return str_starts(name, S("cuda")) || str_starts(name, S("hip")) || str_starts(name, S("cuLaunch"));
}

/* Names of kernels are judged once each. */
static bool has_reduced_kernel(const struct trace *trace)
{
    struct arena scratch = {0};
    bool *judged = arena_array(&scratch, trace_text_count(trace), sizeof *judged);
    bool found = false;
    for (uint32_t row = 0; row < trace->count && !found; row++) {
        if (trace->kind[row] != EVENT_KERNEL || judged[trace->name[row]])
            continue;
        judged[trace->name[row]] = true;
        found = kernel_is_reduced(trace_name(trace, row));
    }
    arena_free(&scratch);
    return found;
}

struct runs_on runs_on(const struct trace *trace)
{
    struct runs_on runs = {.cuda = !trace->kinds[EVENT_RUNTIME],
                           .calls = trace->kinds[EVENT_RUNTIME] > 0,
                           .reduced = has_reduced_kernel(trace)};
    for (uint32_t id = 0; id < trace_text_count(trace); id++) {
        const str name = trace_text(trace, id);
        runs.compiled |= is_compiled(name);
        runs.cuda |= is_cuda(name);
        runs.reduced = runs.reduced || is_reduced_type(name);
        runs.hip |= str_starts(name, S("hip"));
    }
    return runs;
}
