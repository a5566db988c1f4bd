/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace runs on, as far as advice depends on it. Told by names, each looked at once. */
#ifndef BREAKDOWN_RUNS_ON_H
#define BREAKDOWN_RUNS_ON_H

#include "trace/trace.h"

struct runs_on {
    bool compiled; /* torch.compile's code: compiled regions, or kernels of Triton that Inductor names */
    bool cuda;     /* the runtime of CUDA or HIP; or none was recorded */
    bool calls;    /* calls of a device's runtime are recorded */
    bool reduced;  /* types of 16 bits or fewer are computed with */
    bool hip;      /* of HIP */
};

struct runs_on runs_on(const struct trace *trace);

/* A kernel whose name says that it computes in 16 bits or fewer; one that says that it does in 32. */
bool kernel_is_reduced(str name);
bool kernel_is_single(str name);

#endif
