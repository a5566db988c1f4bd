/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collectives of one step of a job, as the generators AICB and SimAI write
 * them (github.com/aliyun/aicb, github.com/aliyun/SimAI), added up by the group
 * of ranks that they run among: what the job sends and receives for tensor,
 * pipeline, expert and data parallelism.
 *
 * Bytes are what a rank sends and what it receives in a ring: of a message of G
 * bytes among n ranks an all-reduce passes 2 x 2 (n - 1) / n G, an all-gather,
 * reduce-scatter or all-to-all 2 (n - 1) / n G, a broadcast or transfer 2 G.
 */
#ifndef FLEET_SCHEDULE_H
#define FLEET_SCHEDULE_H

#include "base/arena.h"
#include "import_drops.h"
#include "fleet/step/job.h"
#include "steptime/error.h"

enum schedule_group { GROUP_DATA, GROUP_TENSOR, GROUP_PIPELINE, GROUP_EXPERT, GROUP_DATA_OF_EXPERTS, SCHEDULE_GROUPS };

struct schedule_traffic {
    double ranks;   /* of the group; 0: not told */
    double calls;   /* a step */
    double bytes;   /* a step, sent and received */
    double ms;      /* measured, of a step; NaN where no call has a time */
    double largest; /* message, bytes */
};

struct collective_schedule {
    struct schedule_traffic of[SCHEDULE_GROUPS];
    double ranks;      /* of the job; 0: not told */
    double steps;      /* that the rows above are the mean of */
    double compute_ms; /* of a step; NaN: not told */
    double step_ms;    /* measured; NaN */
    double micro_batches;
    bool gathers_forward;        /* weights among replicas, in the forward pass: they are kept in parts */
    bool scatters;               /* gradients among replicas: optimizer states are kept in parts */
    struct import_drops dropped; /* rows that are none */
};

/* Of a file of either generator. */
bool schedule_read(const char *path, struct collective_schedule *schedule, struct steptime_error *err);

/* The same as a job: its architecture is that of the group that moves most between ranks that share no replica. */
struct job job_of_schedule(const struct collective_schedule *schedule, str name);

/* ---- for the readers of either kind ---- */

enum message_pattern { PATTERN_NONE, PATTERN_REDUCED, PATTERN_PARTED, PATTERN_PASSED };

/* By the words of both generators: "all_reduce", "ALLREDUCE", "isend"; PATTERN_NONE of barriers and no words. */
enum message_pattern schedule_pattern(str word);

/* Adds a call of a message of so many bytes; ms NaN: not measured. */
void schedule_add(struct collective_schedule *schedule, enum schedule_group group, enum message_pattern pattern,
                  double ranks, double bytes, double count, double ms);

bool schedule_read_aicb(const char *path, struct collective_schedule *schedule, struct steptime_error *err);
bool schedule_read_simai(const char *path, struct collective_schedule *schedule, struct steptime_error *err);
bool schedule_is_aicb(str begin);
bool schedule_is_simai(str begin);

#endif
