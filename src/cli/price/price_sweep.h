/* SPDX-License-Identifier: Apache-2.0 */
/* --batch, --precision, --network: the same script with each of several values, on every device. */
#ifndef CLI_PRICE_SWEEP_H
#define CLI_PRICE_SWEEP_H

#include "price_run.h"

struct price_sweep {
    const int64_t *batches; /* of loaders; one 0 where none are asked for: as it is */
    const str *precisions;  /* "bf16", "fp16", "as-is" */
    const str *networks;    /* as --set network= takes them; one "" where none are */
    uint32_t batch_count, precision_count, network_count;
    bool asked; /* any of the three */
};

/* False with STEPTIME_USAGE: a value that is none, or too many. */
bool price_sweep_read(const struct call *call, struct arena *arena, struct price_sweep *sweep,
                      struct steptime_error *err);

struct price_sweeping {
    const struct price_sweep *sweep;
    const struct price_asked *asked;
    const struct price_run *run; /* of the script as it is */
    struct program_texts *texts;
    struct arena *arena;
};

/* False with STEPTIME_USAGE where a value of --network is none. A script that does not run otherwise is a row that says why. */
bool price_sweep_show(const struct price_sweeping *sweeping, struct report *report, struct steptime_error *err);

#endif
