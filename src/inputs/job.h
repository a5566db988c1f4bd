/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether files are the ranks of one job, and which ranks are not among them.
 *
 * The rule: files are ranks of one job unless two of them say otherwise. They do
 *     by another world size (distributedInfo),
 *     by recording the same rank, or one outside the world size,
 *     by being more than the world size,
 *     by another model of device, where both have one,
 *     by another version of PyTorch,
 *     by having begun more than a day apart.
 * What a file does not record contradicts nothing. Hosts are not asked: a job runs on many.
 */
#ifndef INPUTS_JOB_H
#define INPUTS_JOB_H

#include <stdbool.h>

#include "base/str.h"
#include "doubt.h"
#include "settings.h"
#include "trace/trace.h"

/* An annotated step by the clock of the recording's host, since 1970. */
struct member_step {
    int64_t number, start_ns, end_ns;
};
enum { JOB_MOST_STEPS = 64 }; /* that are compared */

/* What a file says of its job. */
struct job_member {
    str path;
    int64_t rank; /* recorded, or in the file's name; -1 */
    bool recorded;
    int64_t world_size;              /* -1 */
    str device;                      /* model of the first one that has a name; "" */
    str torch_version;               /* "" */
    str host;                        /* "" */
    int64_t begin_ns;                /* of the recording, since 1970; 0: unknown */
    const struct member_step *steps; /* the first */
    uint32_t steps_kept;
    int64_t first_step, last_step;   /* where steps_kept */
    const struct settings *settings; /* many members share theirs */
};

/* Of a trace whose rank is still as recorded; the texts are copied to the arena. */
struct job_member job_member_of(const struct trace *trace, str path, struct arena *arena);

/* Says in which ways the files contradict each other; nothing of fewer than two. */
void job_contradictions(const struct job_member *members, uint32_t count, struct doubts *doubts);

/*
 * Of files that are no contradiction: "of the job's 8 ranks 1 is missing: 3" by the recorded world size, else "ranks 0 to
 * 7 but no 3" by the gaps; nothing where one of several does not say its rank. Of a file alone: that it is alone.
 */
void job_missing(const struct job_member *members, uint32_t count, struct doubts *doubts);

/* Settings in which ranks differ, by name, as one doubt. */
void job_settings(const struct job_member *members, uint32_t count, struct doubts *doubts);

/* Both are recordings of one rank of one run, at the same time: one of them says it all. */
bool job_is_copy(const struct job_member *a, const struct job_member *b);

/* Ranks that recorded other steps than the rest, and steps that two ranks place at times that exclude each other. */
void job_apart(const struct job_member *members, uint32_t count, struct doubts *doubts);

#endif
