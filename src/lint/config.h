/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pyproject.toml says to steptime:
 *
 *     [tool.steptime]
 *     select = ["ST1", "ST401"]            # only these; default: all
 *     ignore = ["print-tensor"]            # not these
 *     exclude = ["third_party/", "*_test.py"]
 *     fail-on = "warning"                  # note, warning, error, never
 *     upload = ["to_gpu"]                  # helpers that move what they take to the device
 *     read-back = ["to_host"]              # helpers that bring it back
 *
 *     [tool.steptime.per-file-ignores]
 *     "scripts/" = ["ST606"]
 */
#ifndef LINT_CONFIG_H
#define LINT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

enum { CONFIG_BYTES = 1 << 22 }; /* a larger pyproject.toml is none */

struct texts {
    str *at;
    uint32_t count;
};

struct path_ignores {
    str pattern;
    struct texts rules;
};

enum fail_on { FAIL_ON_NOTE, FAIL_ON_WARNING, FAIL_ON_ERROR, FAIL_ON_NEVER };

struct config {
    str path;   /* of the file; "" where there is none */
    str folder; /* it lies in; patterns of paths begin there */
    struct texts select, ignore, exclude, upload, read_back;
    struct path_ignores *per_file;
    uint32_t per_file_count;
    enum fail_on fail_on;
};

/*
 * Of the nearest pyproject.toml with a [tool.steptime] in the folder of `path` or
 * above it. True with config_default where there is none. False: it cannot be
 * read, or says what cannot be understood; the message has file and line.
 */
bool config_find(struct arena *arena, const char *path, struct config *config, struct steptime_error *err);

/* Of a text, as if it were that file. */
bool config_read(struct arena *arena, str path, str text, struct config *config, struct steptime_error *err);

/* "note", "warning", "error", "never". */
bool fail_on_of(str word, enum fail_on *fail_on);

/*
 * Whether a pattern of a path matches: `*` and `?` within a name, `**` over
 * folders, a folder with all in it ("tests/"), a name at any depth where the
 * pattern has no slash.
 */
bool path_matches(str path, str pattern);

bool config_excludes(const struct config *config, str path);

/* Bit i: rules[i] holds for the file. */
uint64_t config_rules(const struct config *config, str path);

#endif
