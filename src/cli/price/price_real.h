/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a script cannot be run dry for want of data: the same run with data, on the CPU, its loaders handing out as few samples as the
 * script allows; then once more with one more, so that what goes with the batch is seen. doc/numbers/price.md.
 */
#ifndef CLI_PRICE_REAL_H
#define CLI_PRICE_REAL_H

#include "base/between.h"
#include "dry/dry.h"
#include "predict/price/price.h"

enum price_fallback { FALLBACK_NEEDED, FALLBACK_NEVER, FALLBACK_ALWAYS };

/* Zeroed where the script was run dry. */
struct price_real {
    bool taken, asked;       /* asked: nobody tried without data */
    str lacks, place, error; /* why not without data: the rest of a sentence, where, and the error's words; "" */
    bool has_few, has_batch; /* few: it was run with one less, too; batch: a loader took another one */
    struct dry_result few;
    struct batches batches;   /* of a loader: `to` is what it would hand out by itself, or was asked for */
    str only_one;             /* why it was not run with two batches; "" */
    uint32_t by_both, by_one; /* operators with shapes, as batch_between tells them */
};

/* Zeroed where nothing was scaled. */
struct price_doubt price_real_doubt(const struct price_real *real);

/* The run with most samples into *dry. real->lacks and so on are told already. False with why not. */
bool price_real_run(const struct dry_options *options, struct arena *arena, struct price_real *real,
                    struct dry_result *dry, struct steptime_error *err);

/* The step and the lives as they would be with batches.to. */
bool price_real_grow(struct price_real *real, bool on_gpu, struct arena *arena, struct program *program,
                     struct dry_result *dry, struct steptime_error *err);

void price_real_show(const struct price_real *real, struct report *report);

#endif
