/* SPDX-License-Identifier: Apache-2.0 */
/* What `steptime calibrate` keeps in the user's folder (cli/program/user_models.h): of each device its rows and its set. */
#ifndef CLI_CALIBRATE_STORE_H
#define CLI_CALIBRATE_STORE_H

#include "calibrate_rows.h"

struct stored_set {
    str device;
    const char *set_path, *rows_path;
    uint32_t rows, groups;
};

/* The rows of that device that were kept before and were not measured again now are added. */
bool store_join(const char *folder, const struct hardware *hardware, const struct models *models,
                struct calibrate_rows *rows, struct arena *arena, struct steptime_error *err);

/* Names the calibrated sets of the device, and writes them and its rows. Both are whole or as before. */
bool store_write(const char *folder, const struct models *models, const struct calibrate_rows *rows, uint32_t device,
                 str measured_by, struct stored_set *stored, struct arena *arena, struct steptime_error *err);

/* Takes away what is kept of the device; false with STEPTIME_INPUT where nothing is. */
bool store_forget(const char *folder, str device, struct arena *arena, struct steptime_error *err);

#endif
