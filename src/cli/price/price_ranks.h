/* SPDX-License-Identifier: Apache-2.0 */
/* Which jobs `steptime price --ranks` asks for, and what was found for each. */
#ifndef CLI_PRICE_RANKS_H
#define CLI_PRICE_RANKS_H

#include "predict/price/price.h"
#include "predict/price/price_exchange.h"
#include "price_asked.h"

enum { PRICE_RANKS_MOST = 16 };

struct price_ranks {
    int64_t at[PRICE_RANKS_MOST]; /* in the order in which they were asked for */
    uint32_t count;               /* 0: no job */
    struct price_job *jobs;       /* a row a job and device */
    uint32_t job_count;
};

/* --ranks 1,8,64. False with STEPTIME_USAGE. */
bool price_ranks_read(const struct call *call, struct arena *arena, struct price_ranks *ranks,
                      struct steptime_error *err);

/* False with STEPTIME_USAGE where the command is a launcher, which would start each rank itself. */
bool price_ranks_script(const char *const *argv, struct steptime_error *err);

/* What the dry run of so many ranks came to, on each device. */
void price_ranks_add(struct price_ranks *ranks, int64_t count, const struct predict_source *source,
                     const struct price_asked *asked, const struct prices *prices, struct arena *arena);

#endif
