/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

/* NVIDIA's number of a generation, by the formats that its matrix units have. */
static int capability_of(const struct hardware *hardware)
{
    return hardware->figure[HW_FP4] > 0    ? 100
           : hardware->figure[HW_FP8] > 0  ? 90
           : hardware->figure[HW_BF16] > 0 ? 80
                                           : 70;
}

struct dry_device dry_device_of(const struct hardware *hardware)
{
    return (struct dry_device){
        .gpu = true,
        .name = hardware->name,
        .bytes = (int64_t)hardware->figure[HW_MEMORY_BYTES],
        .sms = (int64_t)hardware->figure[HW_SMS],
        .capability = capability_of(hardware),
    };
}
