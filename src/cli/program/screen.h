/* SPDX-License-Identifier: Apache-2.0 */
/* What the terminal at the other end can show. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>

struct screen {
    bool capable; /* a terminal that can move its cursor: someone is looking */
    bool colour, unicode;
    unsigned width;
};

/* Of a file descriptor. `when` is "auto", "always" or "never"; NULL is auto. */
struct screen screen_of(int descriptor, const char *when);

#endif
