/* SPDX-License-Identifier: Apache-2.0 */
/* What the options of `steptime price` ask for: devices, money, models, where the trace goes. */
#ifndef CLI_PRICE_ASKED_H
#define CLI_PRICE_ASKED_H

#include "cli/program/call.h"
#include "dry/dry.h"
#include "predict/price/price.h"
#include "price_list.h"
#include "price_real.h"

struct price_asked {
    struct hardware *devices;
    uint32_t count;
    bool on_gpu;
    str *twice; /* devices that were named more than once, and are there once */
    uint32_t twice_count;
    const char *path; /* what is run, for messages */
    struct dry_options dry;
    struct predict_asked predict;
    struct user_prices prices;
    enum price_fallback fallback;
};

/* `recorded` is the device of a trace that is checked, which counts where no other is asked for; "". */
bool price_asked_read(const struct call *call, str recorded, struct arena *arena, struct price_asked *asked,
                      struct steptime_error *err);

/* What of it is not as it was asked for. */
void price_asked_tell(const struct price_asked *asked, struct report *report);

/* GPUs of a server of it. */
int64_t price_server(const struct price_asked *asked);

/* --keep FILE: the execution trace. */
bool price_keep(const struct call *call, const struct dry_result *dry, struct steptime_error *err);

#endif
