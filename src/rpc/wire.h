/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor that messages go out by. */
#ifndef RPC_WIRE_H
#define RPC_WIRE_H

#include <stdbool.h>

#include "base/str.h"

struct wire {
    int out;
    bool broken; /* nobody reads any more; what is written then goes nowhere */
};

/* All of it, whatever interrupts. */
void wire_write(struct wire *wire, str text);

#endif
