/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INPUTS_RANGE_H
#define INPUTS_RANGE_H

#include "base/str.h"

/* "2..5", "2..", "..5" or "3", both ends inside and none below 0; an open end is 0 or INT64_MAX. */
bool range_read(str text, int64_t *first, int64_t *last);

#endif
