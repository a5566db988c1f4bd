/* SPDX-License-Identifier: Apache-2.0 */
/* One dry run of the script, and what it does: its step for `predict`, its FLOPs, samples and the lives of its storages. */
#ifndef CLI_PRICE_RUN_H
#define CLI_PRICE_RUN_H

#include "price_asked.h"

/* What is other than the script says. */
struct price_setting {
    int64_t batch;                /* of its loaders; 0: theirs */
    str precision;                /* all of it in autocast: "bfloat16", "float16"; "": as it says */
    const struct price_run *base; /* a run of the script as it is; NULL: this is the first */
};

/* A call of a module in the step: the ids of operators from the one to the other lie within it. */
struct price_call {
    int64_t number, begin, end;
};

struct price_run {
    struct dry_result dry;
    struct price_real real; /* where it was not run dry */
    struct dry_lives ran;   /* lives and batch as they were run: `dry` has them scaled */
    struct dry_batch ran_batch;
    int64_t loaded;    /* samples of the step that dry.load was timed of; 0: not known */
    bool shares_files; /* they are those of another run */
    struct predict_source source;
    struct price_step step;
    struct price_call *calls; /* ascending by number */
    uint32_t call_count;
};

/* The texts and the arena must live as long. price_run_close in the end, whatever comes of it. */
bool price_run(const struct price_asked *asked, const struct price_setting *setting, struct program_texts *texts,
               struct arena *arena, struct price_run *run, struct steptime_error *err);

str price_run_basis(const struct price_run *run); /* "run dry", "with data" */

void price_run_close(const struct price_run *run);

/* NULL: that call was not in the step. */
const struct price_call *price_run_call(const struct price_run *run, int64_t number);

#endif
