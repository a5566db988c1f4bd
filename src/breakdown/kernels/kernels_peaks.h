/* SPDX-License-Identifier: Apache-2.0 */
/* What the devices of a trace could do at most, as far as their names are in the catalogue. */
#ifndef BREAKDOWN_KERNELS_PEAKS_H
#define BREAKDOWN_KERNELS_PEAKS_H

#include "hw/catalogue.h"
#include "ops/operators/operators.h"
#include "steptime/error.h"
#include "trace/trace.h"

struct peaks {
    const struct hardware **by_lane; /* of a stream: its device; NULL where it is not known */
    const struct hardware *common;   /* the device of all streams; NULL where they differ */
    str device;  /* the name that was looked up: of the first device with work, or the one asked for */
    str closest; /* where it is not found: "near are A, B", see catalogue_hint */
    const uint8_t
        *rounds_fp32; /* by text id: a kernel of that name multiplies fp32 matrices on tensor cores, as TF32 */
};

/* `device`: the name to use instead of the recorded ones; "" for those. Lives in the arena, texts too. */
struct peaks peaks_new(const struct trace *trace, str device, struct arena *arena);

/* Whether the name asked for ("": none) is in the catalogue; else a usage error that says which names are near. */
bool peaks_check(str device, struct steptime_error *err);

/* The peak that applies to this arithmetic; 0 where none is known. */
double peak_flop_per_s(const struct hardware *gpu, const struct op_cost *cost, bool rounds_fp32);

#endif
