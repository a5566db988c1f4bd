/* SPDX-License-Identifier: Apache-2.0 */
/* How long devices were busy with picked work. Devices run beside each other: the time is the sum over the devices. */
#ifndef BREAKDOWN_KERNELS_BUSY_H
#define BREAKDOWN_KERNELS_BUSY_H

#include "kernels_select.h"

int64_t busy_ns_of(const struct picked *picked);

#endif
