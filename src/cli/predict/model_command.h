/* SPDX-License-Identifier: Apache-2.0 */
/* The three verbs of `steptime model`. */
#ifndef CLI_MODEL_COMMAND_H
#define CLI_MODEL_COMMAND_H

#include "cli/program/command.h"
#include "cli/program/user_models.h"
#include "model/estimate/models.h"

bool model_fit(const struct call *call, struct steptime_error *err);
bool model_eval(const struct call *call, struct steptime_error *err);
bool model_show(const struct call *call, struct steptime_error *err);

/* The device of --hw into *room; NULL where the option is not given. False where it names none. */
bool hardware_of_call(const struct call *call, struct arena *arena, struct hardware *room,
                      const struct hardware **hardware, struct steptime_error *err);

#endif
