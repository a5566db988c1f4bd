/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of libraries as tables have them: "0.24.0", "1.3.0rc20", "2.29.2". */
#ifndef OPS_VERSION_H
#define OPS_VERSION_H

#include <stdint.h>

#include "base/str.h"

/* 0: nothing is said of it. */
enum { VERSION_UNTOLD = 0, VERSION_UNKNOWN = 1 };

/* Later ones are larger: 1.3.0rc20 stands before 1.3.0. VERSION_UNTOLD for "", VERSION_UNKNOWN for what is none. */
uint64_t version_of_word(str word);

#endif
