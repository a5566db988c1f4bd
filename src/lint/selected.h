/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules hold, by the command line and by the configuration of a file. Bit i of a mask: rules[i] does. */
#ifndef LINT_SELECTED_H
#define LINT_SELECTED_H

#include "lint.h"

/* What --select and --ignore leave. False: they name a rule that there is not. */
bool selected_rules(const struct lint_options *options, uint64_t *mask, struct steptime_error *err);

/* Of those that the command line leaves the ones that hold for a file. */
uint64_t selected_for(const struct lint_options *options, uint64_t selected, const struct config *config, str path);

#endif
