/* SPDX-License-Identifier: Apache-2.0 */
/* What `steptime calibrate` tells: what the rows changed, what was left out, what to measure next. */
#ifndef CLI_CALIBRATE_SHOW_H
#define CLI_CALIBRATE_SHOW_H

#include "calibrate_rows.h"
#include "calibrate_store.h"
#include "model/posterior/choose.h"
#include "report/report.h"

struct calibrated_device {
    const struct models *before, *after;
    const struct calibrate_rows *rows;
    uint32_t device; /* of the rows */
    struct stored_set stored;
};

/* What to measure next among kernels. */
void calibrate_show_next(const struct next_asked *asked, struct report *report);

/* After --forget. */
void calibrate_show_forgotten(str device, const char *folder, struct report *report);

void calibrate_show_faults(const struct calibrate_rows *rows, struct report *report);
void calibrate_show(const struct calibrated_device *devices, uint32_t count, struct report *report);

#endif
