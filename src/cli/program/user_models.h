/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The models that a command works with: those of --models FILE; else those built in, with what 'steptime calibrate' left in
 * the user's folder: $STEPTIME_MODELS (empty: none), else $XDG_DATA_HOME/steptime, else ~/.local/share/steptime.
 */
#ifndef CLI_USER_MODELS_H
#define CLI_USER_MODELS_H

#include "command.h"
#include "model/estimate/model.h"

/*
 * NULL with *err where --models names no file of models. A set of the user's that cannot be read, or is of another
 * version, is named on standard error and left out.
 */
const struct models *models_of_call(const struct call *call, struct arena *arena, struct steptime_error *err);

/* The user's folder; NULL where there is none to be had. It may not be there yet. */
const char *user_models_folder(struct arena *arena);

/* The place of a device's set or rows in it: "FOLDER/NVIDIA_L4.txt". */
const char *user_models_place(const char *folder, str device, const char *ending, struct arena *arena);

#endif
