/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of what in a folder says beside the sources what a program runs: settings, scripts of a shell, and the
 * commands in documents, of which the options count that they give.
 */
#ifndef LINT_MENTIONED_H
#define LINT_MENTIONED_H

#include "base/map.h"
#include "config.h"

/* By its ending: .yaml, .yml, .json, .jsonnet, .toml, .cfg, .ini, .gin, .sh, .md, .rst. */
bool mentioned_is_in(str path);
/*
 * The names in these files, as project_options.mentioned wants them. False: there are more files, or larger ones, than
 * are read, or one cannot be read (*ended: the first that was not), so that what is not found may be mentioned all the same.
 */
bool mentioned_read(const struct texts *paths, struct map *words, str *ended);

#endif
