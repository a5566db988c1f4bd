/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What slow operations and slow workers cost a job, by what-if: the job's
 * operations are walked again with their durations made equal (after Lin et al.,
 * "Understanding Stragglers in Large Model Training Using What-if Analysis",
 * OSDI 2025, and its public code, ByteDance-Seed/StragglerAnalysis):
 *
 *     T_ori        mean step without launch delays
 *     T_ideal      the same with each operation at the mean (computing) or median (communicating) of its type, over all
 *                  workers and steps
 *     S            T_ori / T_ideal
 *     S_t, S_w     the same with all but one type, replica or stage at that value
 *     M_W, M_S     (T_ori - T_fixed) / (T_ori - T_ideal), where what is fixed is the slowest 3 % of workers, or the last
 *                  stage
 */
#ifndef FLEET_STRAGGLER_H
#define FLEET_STRAGGLER_H

#include "operations.h"

enum what_if_kind { WHAT_IF_TYPE, WHAT_IF_REPLICA, WHAT_IF_STAGE, WHAT_IF_WORKER };

/* One part of the job: left slow alone, and made ideal alone. */
struct straggler_what_if {
    str what;                    /* "backward-compute", "replica 0", "stage 3", "replica 0 stage 2" */
    double slowdown;             /* S_t, S_w: only this left slow */
    double step_s;               /* mean step with only this made ideal */
    double returned;             /* (T_ori - step_s) / (T_ori - T_ideal); NaN where nothing is lost */
    const double *step_slowdown; /* slowdown of each step */
};

struct what_ifs {
    const struct straggler_what_if *at; /* in the order of types, replicas, stages; workers slowest first */
    uint32_t count;
};

/* A share that returns, and the mean steps it was taken from. */
struct returned {
    double ideal_s, original_s, fixed_s; /* fixed_s: with only these made ideal */
    double left_s;                       /* with only these left slow */
    double share;                        /* of original - ideal; NaN where nothing is lost */
};

struct stragglers {
    uint32_t steps, stages, replicas;
    const int64_t *step_numbers, *stage_numbers, *replica_numbers;
    const double *recorded_s, *original_s, *ideal_s; /* each step: as recorded, without launch delays, equalised */
    double mean_recorded_s, mean_original_s, mean_ideal_s;
    double slowdown;                             /* S */
    double launch_slowdown;                      /* recorded / original */
    struct returned last_stage, slowest_workers; /* M_S (NaN where there is but one stage), M_W */
    struct what_ifs types, by_replica, by_stage; /* none where there is but one replica, or stage */
    struct what_ifs workers; /* the slowest, at most 16; none where replicas or stages are the workers */
    /*
     * For a heat map: S of a worker, taken as the lesser of those of its replica and its stage (Lin et al., section 5.1);
     * [stage * replicas + replica].
     */
    const double *worker_slowdown;
    uint64_t dropped, strangers; /* rows that are no operation; operations that not all lanes have, left out */
};

bool stragglers_of(const struct operations *operations, struct arena *arena, struct stragglers *stragglers,
                   struct steptime_error *err);

#endif
