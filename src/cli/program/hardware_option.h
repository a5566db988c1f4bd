/* SPDX-License-Identifier: Apache-2.0 */
/* The device that --hw and --set ask for, the same in every command. */
#ifndef CLI_HARDWARE_OPTION_H
#define CLI_HARDWARE_OPTION_H

#include "command.h"
#include "hw/hardware.h"
#include "report/report.h"

/* The device of that name with every --set of the command line applied in its order. */
bool hardware_of_words(const struct call *call, str name, struct arena *arena, struct hardware *hardware,
                       struct steptime_error *err);

/* Tells which variant was taken where a name of the command line (--hw, --at, the argument of `hw`) fits several. */
void hardware_tell(const struct call *call, struct report *report);

/* The same on standard error, where there is no report. */
void hardware_say(const struct call *call);

/* Applies every --set of the command line, in its order. */
bool hardware_apply_sets(const struct call *call, struct arena *arena, struct hardware *hardware,
                         struct steptime_error *err);

#endif
