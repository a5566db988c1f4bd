/* SPDX-License-Identifier: Apache-2.0 */
#include "project.h"

#include "fleet/step/architecture.h"
#include "fleet/step/fit.h"
#include "fleet/step/layout.h"
#include "fleet/step/traffic.h"

str obstacle_word(enum obstacle obstacle)
{
    static const char *const words[OBSTACLES] = {
        [OBSTACLE_NONE] = "",
        [OBSTACLE_MEMORY] = "memory",
        [OBSTACLE_LINK] = "link",
        [OBSTACLE_FIELD] = "field",
    };
    return str_of(words[obstacle]);
}

/* ---- the job there ---- */

static double most_cnodes(const struct job *job, const struct cluster *cluster)
{
    switch (architecture_rows[job->architecture].room) {
    case ROOM_GPU:
        return 1;
    case ROOM_SERVER:
        return job_figure(job, JOB_GPUS_PER_SERVER, cluster->gpus_per_server);
    default:
        return INFINITY;
    }
}

/* Degrees that the job had where it was, and cannot have where it goes. */
static void drop_degrees(struct job *job)
{
    static const enum job_field degrees[] = {JOB_TENSOR_PARALLEL, JOB_PIPELINE_PARALLEL, JOB_EXPERT_PARALLEL};
    if (architecture_rows[job->architecture].today)
        return;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        job->field[degrees[i]] = NAN;
}

/* The traffic there; that of here where nothing better is known. */
static double weight_bytes(const struct job *job, const struct target *target, const struct job *there)
{
    const double here = job->field[JOB_WEIGHT_BYTES];
    const bool same = there->architecture == job->architecture && there->field[JOB_CNODES] == job->field[JOB_CNODES];
    if (same || !target->traffic_of_weights)
        return here;
    const double derived = traffic_there(job, there);
    return isnan(derived) ? here : derived;
}

static bool links(const struct job *job, const struct cluster *cluster)
{
    const struct architecture_row *row = &architecture_rows[job->architecture];
    for (int link = 0; link < RESOURCES; link++)
        if (row->link[link] && cluster->rate[link] <= 0)
            return false;
    return true;
}

static enum obstacle obstacle_of(const struct job *job, const struct cluster *cluster)
{
    if (layout_lacks(job) != JOB_FIELDS || !layout_fits(job))
        return OBSTACLE_FIELD;
    if (!links(job, cluster))
        return OBSTACLE_LINK;
    const bool full = cluster->memory_bytes > 0 && traffic_stored_bytes(job) > cluster->memory_bytes;
    return full ? OBSTACLE_MEMORY : OBSTACLE_NONE;
}

bool job_moved(const struct job *job, const struct target *target, struct job *moved, enum obstacle *obstacle)
{
    *moved = *job;
    if (target->moves)
        moved->architecture = target->architecture;
    const double asked = target->cnodes > 0 ? target->cnodes : job_figure(job, JOB_CNODES, 1);
    moved->field[JOB_CNODES] =
        target->moves || target->cnodes > 0 ? lesser(asked, most_cnodes(moved, &target->cluster)) : asked;
    drop_degrees(moved);
    if (moved->field[JOB_CNODES] != job->field[JOB_CNODES])
        moved->field[JOB_SERVERS] = NAN;
    moved->field[JOB_WEIGHT_BYTES] = weight_bytes(job, target, moved);
    *obstacle = obstacle_of(moved, &target->cluster);
    return *obstacle == OBSTACLE_NONE;
}

/* ---- and what it gains ---- */

/* The job with the amounts that it lacks. */
static bool told_of(const struct job *job, const struct cluster *here, struct job *told)
{
    *told = *job;
    return fit_job(told, here);
}

/* Sums in another order differ in their last digits: that is no gain. */
static double gain(double ratio)
{
    return fabs(ratio - 1) < 1e-9 ? 1 : ratio;
}

struct projected job_project_from(const struct job *job, const struct job_step *before, const struct cluster *here,
                                  const struct target *target)
{
    struct projected projected = {.before = *before, .speedup = NAN, .cnode_speedup = NAN};
    struct job moved, told;
    const bool untold = job->lacks_amounts || !isnan(job->field[JOB_ALONE_MS]);
    if (untold && !told_of(job, here, &told)) {
        projected.obstacle = OBSTACLE_FIELD;
        return projected;
    }
    if (!job_moved(untold ? &told : job, target, &moved, &projected.obstacle))
        return projected;
    projected.after = job_step(&moved, &target->cluster);
    projected.cnodes = moved.field[JOB_CNODES];
    if (!(projected.after.step_ms > 0)) { /* nothing that it is known to do there takes time */
        projected.obstacle = OBSTACLE_FIELD;
        return projected;
    }
    projected.cnode_speedup = gain(before->step_ms / projected.after.step_ms);
    projected.speedup = gain(projected.cnode_speedup * projected.cnodes / job_figure(job, JOB_CNODES, 1));
    return projected;
}

struct projected job_project(const struct job *job, const struct cluster *here, const struct target *target)
{
    const struct job_step before = job_step(job, here);
    return job_project_from(job, &before, here, target);
}
