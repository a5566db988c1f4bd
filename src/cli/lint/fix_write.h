/* SPDX-License-Identifier: Apache-2.0 */
/* Puts what was rewritten into the files. */
#ifndef CLI_FIX_WRITE_H
#define CLI_FIX_WRITE_H

#include "lint/fix.h"

/* A file that cannot be written does not keep the others from it. The last such error is left for the end. */
bool fix_write(const struct fixes *fixes, uint32_t *written, struct steptime_error *err);

#endif
