/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the device work of the selected steps, by class of kernel and for the optimizer. */
#ifndef BREAKDOWN_WORK_FIGURES_H
#define BREAKDOWN_WORK_FIGURES_H

#include "ops/operators/judgements.h"
#include "trace/select.h"

struct work_figures {
    uint64_t kernels;  /* compute kernels */
    int64_t kernel_ns; /* their summed durations: more than wall time where streams overlap */
    uint64_t optimizer_kernels;
    int64_t optimizer_ns;
    int64_t class_ns[KERNEL_CLASSES];
};

/* Work counts where it was launched: in a selected step. Reads the classes and phases. */
struct work_figures work_figures_of(const struct trace *trace, const struct judgements *judgements,
                                    const struct selection *selection);

#endif
