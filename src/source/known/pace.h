/* SPDX-License-Identifier: Apache-2.0 */
/* How often code runs. */
#ifndef SOURCE_PACE_H
#define SOURCE_PACE_H

enum pace {
    PACE_UNKNOWN, /* in a function that nobody in the run calls */
    PACE_ONCE,    /* setup, __init__, after training */
    PACE_EPOCH,
    PACE_EVALUATION, /* a step of an evaluation loop */
    PACE_STEP,       /* a training step */
};

#endif
