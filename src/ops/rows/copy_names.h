/* SPDX-License-Identifier: Apache-2.0 */
/* What a copy's name says: the direction, and the kind of the host memory. */
#ifndef OPS_COPY_NAMES_H
#define OPS_COPY_NAMES_H

#include "work.h"

enum copy_direction copy_direction_of_name(str name);

/* HOST_UNKNOWN where the name is silent (ROCm writes "Host", old traces nothing) or no host takes part. */
enum host_memory copy_memory_of_name(str name, enum copy_direction direction);

#endif
