/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of what a fleet holds becomes training: model FLOPs utilisation,
 * productive time over wall time, and the roofline's ideal time over the actual
 * step (Google's program goodput: arXiv 2502.06982; ETTR: Kokolis et al., HPCA
 * 2025). doc/numbers/fleet.md has the definitions.
 */
#ifndef FLEET_GOODPUT_H
#define FLEET_GOODPUT_H

#include "step.h"

struct goodput {
    double mfu;        /* FLOPs of the step over peak times measured step; NaN: not measured */
    double program;    /* the larger of arithmetic and memory time at full rate over the measured step; NaN */
    double productive; /* time in steps that were kept over the time of the job; NaN */
};
struct goodput job_goodput(const struct job *job, const struct cluster *cluster);

#endif
