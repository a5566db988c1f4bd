/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording a process that runs already, and that nobody prepared: CPython's own remote execution (from 3.14 on) loads the
 * recorder into it, which then works as in a script that was started with it.
 */
#ifndef RECORD_REMOTE_H
#define RECORD_REMOTE_H

#include "attach.h"
#include "target.h"

/* False with *err: it is no Python, too old a one, or may not be asked. */
bool remote_run(const struct attach_options *options, const struct target *target, struct arena *arena,
                struct record_result *result, struct steptime_error *err);

#endif
