/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same program recorded twice, with a device and on the CPU alone, compared
 * function by function: what takes the host longer with the device than the whole
 * computation takes without it is bound by movement, launches or waits. Functions
 * are those of Python where both traces record frames, else annotations, else
 * the outermost operators.
 */
#ifndef JOIN_DEVICE_AGAINST_CPU_H
#define JOIN_DEVICE_AGAINST_CPU_H

#include "base/arena.h"
#include "trace/trace.h"

enum compared { COMPARED_FUNCTIONS, COMPARED_ANNOTATIONS, COMPARED_OPERATORS };

struct function_against {
    str name;                       /* "train.py(12): step", without folders; an annotation; an operator */
    int64_t device_ns, cpu_ns;      /* a step, in it and all that it calls */
    double device_calls, cpu_calls; /* a step */
    bool slower;                    /* with the device, by more than one part in 200 of its step */
};

struct device_against_cpu {
    enum compared by;
    int64_t device_step_ns, cpu_step_ns;
    struct function_against *at; /* recorded in both; the one that loses most first */
    uint32_t count, slower_count;
    uint32_t device_only, cpu_only; /* recorded in one */
};

void device_against_cpu(const struct trace *device, const struct trace *cpu, struct arena *arena,
                        struct device_against_cpu *out);

struct report;
void device_against_cpu_show(const struct device_against_cpu *against, struct report *report);

#endif
