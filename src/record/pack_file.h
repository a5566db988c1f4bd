/* SPDX-License-Identifier: Apache-2.0 */
/* A file as gzip elsewhere. */
#ifndef RECORD_PACK_FILE_H
#define RECORD_PACK_FILE_H

#include <stdbool.h>

#include "steptime/error.h"

/* False with *err where one cannot be read or the other not be written: then that is as it was. */
bool pack_file(const char *from, const char *to, struct steptime_error *err);

#endif
