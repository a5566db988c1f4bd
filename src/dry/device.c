/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

struct dry_device dry_device_of(const struct hardware *hardware)
{
    return (struct dry_device){
        .gpu = true,
        .name = hardware->name,
        .bytes = (int64_t)hardware->figure[HW_MEMORY_BYTES],
        .sms = (int64_t)hardware->figure[HW_SMS],
        .capability = hardware_capability(hardware),
    };
}
