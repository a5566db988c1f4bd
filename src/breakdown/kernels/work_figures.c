/* SPDX-License-Identifier: Apache-2.0 */
#include "work_figures.h"

static void add(struct work_figures *figures, const struct trace *trace, const struct work_classes *classes,
                const uint8_t *phases, uint32_t row)
{
    if (work_class(classes, row) != WORK_COMPUTE)
        return;
    const int64_t ns = trace->dur_ns[row];
    figures->kernels++;
    figures->kernel_ns += ns;
    figures->class_ns[work_kernel_class(classes, row)] += ns;
    if (phases[row] == PHASE_OPTIMIZER) {
        figures->optimizer_kernels++;
        figures->optimizer_ns += ns;
    }
}

struct work_figures work_figures_of(const struct trace *trace, const struct judgements *judgements,
                                    const struct selection *selection)
{
    struct work_figures figures = {0};
    const struct step_range range = selection_steps(trace, selection);
    for (uint32_t row = 0; row < trace->count; row++) {
        if (trace->kind[row] != EVENT_KERNEL)
            continue;
        const uint32_t step = trace_step(trace, row);
        if (step != STEP_NONE && step - range.first < range.count)
            add(&figures, trace, judgements->classes, judgements->phases, row);
    }
    return figures;
}
