/* SPDX-License-Identifier: Apache-2.0 */
/* What the options of `steptime price` ask for: devices, money, models, where the trace goes. */
#ifndef CLI_PRICE_ASKED_H
#define CLI_PRICE_ASKED_H

#include "cli/program/call.h"
#include "dry/dry.h"
#include "predict/price/price.h"

struct price_asked {
    struct hardware *devices;
    uint32_t count;
    bool on_gpu;
    struct predict_asked predict;
};

bool price_asked_read(const struct call *call, struct arena *arena, struct price_asked *asked,
                      struct steptime_error *err);

/* What the script is told it runs on: the first device. */
struct dry_device price_device(const struct price_asked *asked, struct arena *arena);

/* GPUs of a server of it. */
int64_t price_server(const struct price_asked *asked);

/* --keep FILE: the execution trace. */
bool price_keep(const struct call *call, const struct dry_result *dry, struct steptime_error *err);

#endif
