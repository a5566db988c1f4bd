/* SPDX-License-Identifier: Apache-2.0 */
/* Puts a changed text in the place of a file, whole or not at all. */
#ifndef SYNTAX_REWRITE_H
#define SYNTAX_REWRITE_H

#include <stdbool.h>

#include "base/str.h"
#include "steptime/error.h"

/*
 * The file must still hold `before`, byte for byte; it then holds `after`, with the owner, the rights and the links it had
 * (io/replace.h). Where the file changed since it was read, is no plain file, or may not be written, it
 * stays untouched (false).
 */
bool rewrite_file(const char *path, str before, str after, struct steptime_error *err);

#endif
