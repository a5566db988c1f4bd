/* SPDX-License-Identifier: Apache-2.0 */
#include "copy_names.h"

#include "ops/words/rules.h"

/*
 * "Memcpy HtoD (Pageable -> Device)" of Kineto on NVIDIA, "Memcpy HtoD (Host -> Device)" and "CopyHostToDevice" on
 * ROCm, "HtoD" and "MemcpyHtoDAsync" of older and other writers. The kind before the brackets counts first.
 */
static const struct name_rule direction_rules[] = {
    {"ptop", COPY_P2P},
    {"p2p", COPY_P2P},
    {"peer", COPY_P2P},
    {"htod", COPY_H2D},
    {"h2d", COPY_H2D},
    {"htoa", COPY_H2D},
    {"hosttodevice", COPY_H2D},
    {"host_to_device", COPY_H2D},
    {"dtoh", COPY_D2H},
    {"d2h", COPY_D2H},
    {"atoh", COPY_D2H},
    {"devicetohost", COPY_D2H},
    {"device_to_host", COPY_D2H},
    {"dtod", COPY_D2D},
    {"d2d", COPY_D2D},
    {"dtoa", COPY_D2D},
    {"atod", COPY_D2D},
    {"atoa", COPY_D2D},
    {"devicetodevice", COPY_D2D},
    {"device_to_device", COPY_D2D},
    {"htoh", COPY_H2H},
    {"h2h", COPY_H2H},
    {"hosttohost", COPY_H2H},
    {"pageable -> device", COPY_H2D},
    {"pinned -> device", COPY_H2D},
    {"host -> device", COPY_H2D},
    {"device -> pageable", COPY_D2H},
    {"device -> pinned", COPY_D2H},
    {"device -> host", COPY_D2H},
    {"device -> device", COPY_D2D},
};

static const struct name_rule memory_rules[] = {
    {"pageable", HOST_PAGEABLE}, /* either end being pageable makes the copy go through a staging buffer */
    {"pinned", HOST_PINNED},
    {"page-locked", HOST_PINNED},
};

enum copy_direction copy_direction_of_name(str name)
{
    return name_judged(name, direction_rules, sizeof direction_rules / sizeof *direction_rules, COPY_UNKNOWN);
}

enum host_memory copy_memory_of_name(str name, enum copy_direction direction)
{
    if (direction == COPY_D2D || direction == COPY_P2P)
        return HOST_UNKNOWN;
    return name_judged(name, memory_rules, sizeof memory_rules / sizeof *memory_rules, HOST_UNKNOWN);
}
