/* SPDX-License-Identifier: Apache-2.0 */
/* The device side: one sweep over the work of a device, booked to the steps and to the trace as a whole. */
#ifndef BREAKDOWN_DEVICE_PARTS_H
#define BREAKDOWN_DEVICE_PARTS_H

#include "blocking.h"
#include "breakdown.h"
#include "breakdown/idle/host.h"
#include "breakdown/parts/step_cut.h"

/* What an analysis of a device works with and fills. */
struct device_run {
    const struct trace *trace;
    const struct work_classes *classes;
    const uint8_t *phases; /* by row */
    struct host *host;
    struct rows work;         /* of the device, by start */
    int64_t start_ns, end_ns; /* the window: the whole trace or the selection */
    struct step_cut steps;    /* the selected ones */
    uint32_t first_step;      /* index of the first selected step among the trace's */
    struct ledger *ledger;
    struct blocking *blocking;
    struct breakdown_device *out;
};

void device_parts_run(const struct device_run *run);

/* Device time of the phases of training within the steps: the phase of the launch counts, forward before backward before optimizer. */
void device_phases_run(const struct device_run *run);

/* Copies by kind: number, bytes, summed durations. And the compute launched by each step. */
void device_copies_run(const struct device_run *run);
void device_launched_run(const struct device_run *run);

#endif
