/* SPDX-License-Identifier: Apache-2.0 */
#include "runs_on.h"

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

struct runs_on runs_on(const struct trace *trace)
{
    struct runs_on runs = {.cuda = !trace->kinds[EVENT_RUNTIME]};
    for (uint32_t id = 0; id < trace_text_count(trace); id++) {
        const str name = trace_text(trace, id);
        runs.compiled |= is_compiled(name);
        runs.cuda |= is_cuda(name);
    }
    return runs;
}
