/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of the source, joined to what a dry run shows (dry/waits.h): the user's own program with its own options, run without
 * data as if on a device, tells exactly which lines wait for it, in which order, and what was queued.
 *
 *     proven_join(&lint, &dry, &arena, &proven);      once
 *     proven_show(&proven, report);
 *
 * Of a finding whose lines
 *
 *     waited in at least every second round, with something queued   proven, tier confirmed: a warning, unless the host needs the value
 *     always waited for a device that was empty                      a note, with the wait that had emptied it
 *     are followed by a wait that stays, with nothing launched       a note, with that wait
 *     ran and did not wait, or in few of the rounds                  a note
 *     the rounds did not come to                                     a note; where a stand-in chose the way: left as it is, and said
 *
 * Waits that no finding names become findings of tier dry, or rows.
 */
#ifndef PROVEN_PROVEN_H
#define PROVEN_PROVEN_H

#include "dry/dry.h"
#include "lint/lint.h"

struct report;
struct wait_sites;

enum verdict {
    VERDICT_NONE, /* nothing is known of it: a notebook, a file without a path, a rule that is not about lines that run */
    VERDICT_SEEN,      /* it waits with something queued; of other rules: it runs */
    VERDICT_EMPTIED,   /* it waits for a device that is empty */
    VERDICT_FOLLOWED,  /* a wait that stays comes before anything is launched */
    VERDICT_RARE,      /* in fewer than half of the rounds */
    VERDICT_WITHOUT,   /* it runs and waits for nothing */
    VERDICT_UNREACHED, /* no round comes to it */
    VERDICT_DOUBTFUL,  /* nor did one, but a stand-in chose the way there */
    VERDICTS,
};

struct proven {
    const struct lint *lint;
    str device;  /* "NVIDIA H100" */
    str command; /* "python train.py" */
    int64_t steps, rounds;
    uint32_t verdicts[VERDICTS];
    uint32_t from_dry;      /* findings that only the dry run shows */
    uint32_t untold;        /* such for which there was no room */
    uint32_t foreign_waits; /* lines that wait and lie in no file linted */
    uint64_t branches;      /* that stand-ins chose */
    bool is_used;           /* else nothing was joined, and `why_not` says why */
    str why_not;
    const struct wait_sites *sites;
};

/* What was run, as the summary names it. */
struct proven_of {
    str device, command;
};

void proven_join(struct lint *lint, const struct dry_result *dry, const struct proven_of *of, struct arena *arena,
                 struct proven *proven);
void proven_show(const struct proven *proven, struct report *report);

#endif
