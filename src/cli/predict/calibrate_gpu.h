/* SPDX-License-Identifier: Apache-2.0 */
/* A minute of measuring: the rows that narrow the intervals most for each second, from what is known after those before. */
#ifndef CLI_CALIBRATE_GPU_H
#define CLI_CALIBRATE_GPU_H

#include "calibrate_rows.h"

struct gpu_session {
    const struct models *before;
    const struct hardware *given; /* by --hw; NULL: the recorder's word is looked up */
    const char *command;          /* of the recorder; NULL: the one built in */
    double seconds;
    str measured_by; /* comes back: "torch 2.13.0", "a stub" */
    bool stub;
};

/* Adds what was measured; an interrupt (ctrl-C) ends it early and keeps that. False: nothing can be measured, and why. */
bool calibrate_gpu(struct gpu_session *session, struct calibrate_rows *rows, struct arena *arena,
                   struct steptime_error *err);

#endif
