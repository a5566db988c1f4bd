/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What slow operations and slow workers cost a job, by what-if: the job's
 * operations are simulated again with durations made equal across workers (after
 * Lin et al., "Understanding Stragglers in Large Model Training Using What-if
 * Analysis", OSDI 2025, and its public code, ByteDance-Seed/StragglerAnalysis):
 *
 *     slowdown   S = mean step without launch delays / mean step with durations equalised
 *     S_t, S_w     the same with all but one type of operation, or one worker, equalised
 *     M_W, M_S     share of the slowdown that returns when the slowest 3 % of workers, or the last stage, are made ideal:
 *                  (T_ori - T_fixed) / (T_ori - T_ideal)
 */
#ifndef FLEET_STRAGGLER_H
#define FLEET_STRAGGLER_H

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

/* One operation of one rank: a row of the table. */
struct operation {
    double start_s, duration_s;
    uint32_t type;                         /* index into types */
    uint32_t step, stage, replica;         /* dense: pipeline stage, data-parallel rank */
    uint32_t micro_batch, chunk, sequence; /* as numbered within the step */
};

struct operations {
    struct operation *at;
    uint32_t count;
    str *types;
    uint32_t type_count;
    uint32_t step_count, stages, replicas;
    int64_t *step_numbers; /* as the table writes them */
};

/* ByteDance's table (dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc), plain or packed. */
bool operations_read(const char *path, struct arena *arena, struct operations *operations, struct steptime_error *err);

/* One row of what-if: what was made ideal, and what returns. */
struct straggler_what_if {
    str what;        /* "type backward-compute", "stage 3", "worker 0/2" */
    double slowdown; /* with only this left slow: S_t, S_w */
    double step_s;   /* with only this made ideal */
    double returned; /* (T_ori - step) / (T_ori - T_ideal); NaN where nothing is lost */
};

struct stragglers {
    double recorded_s, simulated_s,
        ideal_s; /* mean step: as recorded, without launch delays, with durations equalised */
    double slowdown, launch_slowdown;
    double m_s, m_w;
    struct straggler_what_if *types, *stages, *workers;
    uint32_t type_count, stage_count, worker_count;
};

bool stragglers_of(const struct operations *operations, struct arena *arena, struct stragglers *stragglers,
                   struct steptime_error *err);

#endif
