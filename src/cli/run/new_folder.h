/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for results: a name that nobody has, or the one that was asked for. */
#ifndef CLI_RUN_NEW_FOLDER_H
#define CLI_RUN_NEW_FOLDER_H

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

/* What may be there already under the name that was asked for. */
enum folder_before { FOLDER_NEW, FOLDER_MAY_BE_THERE };

/*
 * `asked`; where that is NULL a new one in this folder, `name` or name-2, name-3 and so on: two commands at once never share
 * one. Its absolute path, since a script may change its folder; NULL with *err, which names `option`.
 */
const char *new_folder(const char *asked, str name, const char *option, enum folder_before before, struct arena *arena,
                       struct steptime_error *err);

/*
 * Until this program ends nobody else gets this folder by the same call: two who write the same names would leave a mixture.
 * False with *err, which names `option`. Where the file system knows no locks all may.
 */
bool folder_claim(const char *path, const char *option, struct steptime_error *err);

#endif
