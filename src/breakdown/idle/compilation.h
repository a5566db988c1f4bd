/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilation at run time, as PyTorch records it: events of Dynamo, AOTAutograd and Inductor ("... (dynamo_timed)",
 * compile_fx_inner, async_compile.wait) and, where stacks are recorded, frames of their entry points and of Triton's
 * compiler. To run what was compiled is no compilation: "Torch-Compiled Region", "TorchDynamo Cache Lookup",
 * "## Call CompiledFxGraph", CompiledFunction and Triton's launcher are ordinary work.
 */
#ifndef BREAKDOWN_COMPILATION_H
#define BREAKDOWN_COMPILATION_H

#include "trace/trace.h"

/* An event of this name and kind is open while something is compiled. */
bool compilation_is(str name, enum event_kind kind);

struct compilations {
    uint32_t functions; /* times that a function was compiled */
    uint32_t graphs;    /* graphs that Inductor compiled for them: forward and backward apart */
    uint32_t again; /* of the functions, those that had been compiled before: their compile id is F/N with N above 0 */
    bool numbered;  /* compile ids are recorded, so that `again` is known */
};

/* Those that begin in the window. */
struct compilations compilations_of(const struct trace *trace, int64_t start_ns, int64_t end_ns);

#endif
