/* SPDX-License-Identifier: Apache-2.0 */
#include "part.h"

enum side { DEVICE = 1, HOST = 2 };

struct row {
    const char *id, *title;
    unsigned sides;
    const char *meaning;
};

static const struct row rows[PARTS] = {
    [PART_COMPUTE] = {"compute", "compute", DEVICE, "a compute kernel runs on some stream of the device"},
    [PART_EXPOSED_COMMUNICATION] = {"exposed_communication", "exposed communication", DEVICE,
                                    "a communication kernel runs and no compute"},
    [PART_COPY_H2D_PINNED] = {"exposed_copy_h2d_pinned", "exposed copy H2D, pinned", DEVICE,
                              "a copy from pinned host memory runs, no compute and no communication"},
    [PART_COPY_H2D_PAGEABLE] = {"exposed_copy_h2d_pageable", "exposed copy H2D, pageable", DEVICE,
                                "the same from pageable host memory"},
    [PART_COPY_H2D_UNKNOWN] = {"exposed_copy_h2d_unknown", "exposed copy H2D", DEVICE,
                               "the same from host memory of unrecorded kind"},
    [PART_COPY_D2H_PINNED] = {"exposed_copy_d2h_pinned", "exposed copy D2H, pinned", DEVICE,
                              "a copy into pinned host memory runs, no compute and no communication"},
    [PART_COPY_D2H_PAGEABLE] = {"exposed_copy_d2h_pageable", "exposed copy D2H, pageable", DEVICE,
                                "the same into pageable host memory"},
    [PART_COPY_D2H_UNKNOWN] = {"exposed_copy_d2h_unknown", "exposed copy D2H", DEVICE,
                               "the same into host memory of unrecorded kind"},
    [PART_COPY_D2D] = {"exposed_copy_d2d", "exposed copy D2D", DEVICE, "the same within the device"},
    [PART_COPY_P2P] = {"exposed_copy_p2p", "exposed copy P2P", DEVICE, "the same between two devices"},
    [PART_COPY_H2H] = {"exposed_copy_h2h", "exposed copy H2H", DEVICE, "the same within the host"},
    [PART_COPY_OTHER] = {"exposed_copy_other", "exposed copy, other", DEVICE, "the same, direction not recorded"},
    [PART_MEMSET] = {"memset", "memset", DEVICE, "a memset runs and nothing of the above"},

    [PART_BLOCKED] = {"blocked", "idle: host blocked", DEVICE,
                      "the device is idle, the host inside a synchronisation or a blocking copy"},
    [PART_LAUNCHING] = {"launching", "idle: launching", DEVICE, "the device is idle, the host inside a launch call"},
    [PART_FRAMEWORK] = {"framework", "idle: framework", DEVICE,
                        "the device is idle, the host inside an operator before, between or after its launches"},
    [PART_BETWEEN_OPERATORS] = {"between_operators", "idle: between operators", DEVICE,
                                "the device is idle, the host in no operator: Python"},
    [PART_LAUNCH_LATENCY] = {"launch_latency", "idle: launch latency", DEVICE,
                             "the device is idle, the next work launched and not yet started"},
    [PART_DEPENDENCY] =
        {"dependency", "idle: dependency", DEVICE,
         "the device is idle, the next work held back by another stream or by a collective on the host"},

    [PART_COMPILATION] = {"compilation", "compilation", DEVICE | HOST,
                          "the host compiles a function or a kernel (the device is idle)"},
    [PART_DATA_LOADING] = {"data_loading", "data loading", DEVICE | HOST,
                           "the host waits for the next batch (the device is idle)"},
    [PART_PROFILER] = {"profiler", "profiler", DEVICE | HOST, "inside the profiler's own work (the device is idle)"},
    [PART_UNKNOWN] = {"unknown", "unknown", DEVICE | HOST, "what the host did is not recorded (the device is idle)"},

    [PART_FORWARD] = {"forward", "forward operators", HOST, "inside a forward operator"},
    [PART_BACKWARD] = {"backward", "backward operators", HOST, "inside a backward operator"},
    [PART_OPTIMIZER] = {"optimizer", "optimizer operators", HOST, "inside an operator of the optimizer"},
    [PART_COMMUNICATION] =
        {"communication", "communication", HOST,
         "a collective runs on the host while the training loop is in no operator, or in one that waits "
         "for it, or in a call of another process"},
    [PART_PYTHON] = {"python", "Python", HOST, "in no operator"},
};

const char *part_id(enum part part)
{
    return rows[part].id;
}

const char *part_title(enum part part)
{
    return rows[part].title;
}

const char *part_meaning(enum part part)
{
    return rows[part].meaning;
}

bool part_of_device_step(enum part part)
{
    return rows[part].sides & DEVICE;
}

bool part_of_host_step(enum part part)
{
    return rows[part].sides & HOST;
}

static enum part by_memory(enum part pinned, enum host_memory memory)
{
    return memory == HOST_PINNED ? pinned : memory == HOST_PAGEABLE ? pinned + 1 : pinned + 2;
}

enum part part_of_copy(enum copy_direction direction, enum host_memory memory)
{
    switch (direction) {
    case COPY_H2D:
        return by_memory(PART_COPY_H2D_PINNED, memory);
    case COPY_D2H:
        return by_memory(PART_COPY_D2H_PINNED, memory);
    case COPY_D2D:
        return PART_COPY_D2D;
    case COPY_P2P:
        return PART_COPY_P2P;
    case COPY_H2H:
        return PART_COPY_H2H;
    default:
        return PART_COPY_OTHER;
    }
}
