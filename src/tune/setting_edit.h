/* SPDX-License-Identifier: Apache-2.0 */
/* A setting as a change of the call that makes the loader or the optimizer. */
#ifndef TUNE_SETTING_EDIT_H
#define TUNE_SETTING_EDIT_H

#include "syntax/compose.h"

struct setting_edit {
    str path, before; /* of the file */
    int64_t line;     /* in which the call begins */
    str words;        /* "num_workers=2" */
    bool of_loader;   /* else of an optimizer */

    str after;
    struct edit_list edits; /* of `before` */
    const char *why;        /* it cannot be made */
};

/* Fills what is below the blank line. False: *why says why. */
bool setting_edit_make(struct setting_edit *edit, struct arena *arena);

#endif
