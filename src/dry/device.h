/* SPDX-License-Identifier: Apache-2.0 */
/* What a script that is run dry is told of a device of the catalogue. */
#ifndef DRY_DEVICE_H
#define DRY_DEVICE_H

#include "dry.h"
#include "hw/hardware.h"

struct dry_device dry_device_of(const struct hardware *hardware);

#endif
