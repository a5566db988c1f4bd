/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a step. A step with device activity is made of device work (by
 * priority: the first part of the list that is going on counts) and of idle time
 * by cause; a step of a host-only trace is made of host parts. Four parts belong
 * to both kinds of step: compilation, data loading, profiler, unknown.
 */
#ifndef BREAKDOWN_PART_H
#define BREAKDOWN_PART_H

#include <stdbool.h>

#include "base/str.h"
#include "ops/rows/work.h"

enum part {
    /* device work, in order of priority */
    PART_COMPUTE,
    PART_EXPOSED_COMMUNICATION,
    PART_COPY_H2D_PINNED,
    PART_COPY_H2D_PAGEABLE,
    PART_COPY_H2D_UNKNOWN,
    PART_COPY_D2H_PINNED,
    PART_COPY_D2H_PAGEABLE,
    PART_COPY_D2H_UNKNOWN,
    PART_COPY_D2D,
    PART_COPY_P2P,
    PART_COPY_H2H,
    PART_COPY_OTHER,
    PART_MEMSET,
    /* idle device, by what the host was doing */
    PART_BLOCKED,
    PART_LAUNCHING,
    PART_FRAMEWORK,
    PART_BETWEEN_OPERATORS,
    PART_LAUNCH_LATENCY,
    PART_DEPENDENCY,
    /* idle device and host-only */
    PART_COMPILATION,
    PART_DATA_LOADING,
    PART_PROFILER,
    PART_UNKNOWN,
    /* host-only */
    PART_FORWARD,
    PART_BACKWARD,
    PART_OPTIMIZER,
    PART_COMMUNICATION,
    PART_PYTHON,
    PARTS,

    PART_FIRST_COPY = PART_COPY_H2D_PINNED,
    PART_LAST_COPY = PART_COPY_OTHER,
    COPY_PARTS = PART_LAST_COPY - PART_FIRST_COPY + 1,
};

const char *part_id(enum part part);      /* "exposed_copy_h2d_pinned"; its column in `steps` ends in _ns */
const char *part_title(enum part part);   /* for people */
const char *part_meaning(enum part part); /* one sentence */

bool part_of_device_step(enum part part);
bool part_of_host_step(enum part part);
static inline bool part_is_work(enum part part)
{
    return part <= PART_MEMSET;
}
static inline bool part_is_idle(enum part part)
{
    return part >= PART_BLOCKED && part <= PART_UNKNOWN;
}

enum part part_of_copy(enum copy_direction direction, enum host_memory memory);

#endif
