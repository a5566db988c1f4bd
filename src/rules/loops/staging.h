/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a loop over samples depends on the sample alone.
 *
 * The body of `for sample in samples` is taken apart into two stages, as a partial
 * evaluator would: statements and expressions that read nothing but the sample,
 * what follows from it, and things that do not change in the run (modules,
 * functions, constants) give the same each time the sample comes by; all others
 * belong to the batch. An inner loop whose head is of the sample and whose last
 * statements are of the batch is split: the first part notes with what the second
 * is to be done.
 *
 * Where the two cannot be told apart without doubt there is no staging.
 */
#ifndef RULES_STAGING_H
#define RULES_STAGING_H

#include "kept.h"

enum { STAGING_STATEMENTS = 48, STAGING_PIECES = 16, STAGING_NAMES = 24, STAGING_REPLAYED = 6 };

enum stage {
    STAGE_BATCH,
    STAGE_SAMPLE,
    STAGE_SPLIT, /* a for: its first statements are of the sample, the others of the batch */
};

struct staging {
    uint32_t loop;   /* SYN_FOR */
    uint32_t sample; /* the name it binds */
    uint32_t statements[STAGING_STATEMENTS];
    uint8_t stages[STAGING_STATEMENTS];    /* enum stage */
    uint32_t split_at[STAGING_STATEMENTS]; /* of STAGE_SPLIT: its first statement that is of the batch */
    uint32_t count;
    uint32_t pieces[STAGING_PIECES]; /* expressions of the sample within statements of the batch */
    uint32_t piece_count;
    str kept[STAGING_NAMES]; /* names bound by the first stage that the second reads */
    uint32_t kept_count;
};

/* False: the loop has no such parts, or none that is worth keeping, or they cannot be kept safely. */
bool staging_find(const struct check *check, uint32_t loop, struct staging *staging);

/* Names bound by the first part of a split loop that its second part reads, in the order of the text. */
uint32_t staging_replayed(const struct check *check, const struct staging *staging, uint32_t i,
                          str names[STAGING_REPLAYED]);

#endif
