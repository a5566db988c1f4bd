/* SPDX-License-Identifier: Apache-2.0 */
/* The step windows of the TensorBoard plug-in: host steps, moved so that they neither overlap nor end before their kernels. */
#ifndef BREAKDOWN_AS_TENSORBOARD_STEPS_H
#define BREAKDOWN_AS_TENSORBOARD_STEPS_H

#include "trace/trace.h"

struct tb_step {
    int64_t start_ns, end_ns, number;
    /* device events of the runtime events that lie wholly in it */
    int64_t first_device_ns, last_device_ns;
    uint32_t device_events;
};

struct tb_steps {
    struct tb_step *at; /* by start */
    uint32_t count;
};

/*
 * Moves the windows and drops trailing steps as the tool does. Only traces with
 * the categories of 2020 have what it calls runtime events; all others stay.
 */
void tb_move_steps(const struct trace *trace, struct tb_steps *steps);

#endif
