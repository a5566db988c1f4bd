/* SPDX-License-Identifier: Apache-2.0 */
/* lint --dry: the program behind "--" is run without data, and what it waits for is joined to the findings. */
#ifndef CLI_LINT_DRY_H
#define CLI_LINT_DRY_H

#include "cli/program/call.h"
#include "proven/proven.h"

struct lint_dry {
    bool asked;
    struct dry_options options;
    struct dry_result result;
    struct proven_of of;
    struct proven proven;
};

/* What to lint: the arguments before "--"; where there are none, the folder of the script. */
const char *const *lint_dry_paths(const struct call *call, struct arena *arena, uint32_t *count);

/* Reads what --dry asks for, before any work is done. */
bool lint_dry_check(const struct call *call, struct arena *arena, struct lint_dry *dry, struct steptime_error *err);
/* Runs it: the files as they are linted. False: it cannot be run so, with why; lint_dry_close is due either way. */
bool lint_dry_run(struct lint_dry *dry, struct arena *arena, struct steptime_error *err);
void lint_dry_join(struct lint_dry *dry, struct lint *lint, struct arena *arena);
void lint_dry_show(const struct lint_dry *dry, struct report *report);
void lint_dry_close(const struct lint_dry *dry);

#endif
