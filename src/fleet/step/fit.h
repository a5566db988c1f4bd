/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Efficiencies from jobs that were measured: of their steps, or of parts of them.
 *
 * Each figure that a job has gives one residual, the logarithm of modelled over
 * measured time; the sum of their squares, less steep far from 0 so that jobs that
 * nothing explains do not decide, is made least over the efficiencies of the
 * resources that the jobs use, and over the overlap where it is asked for. A
 * resource with a measured table keeps it. Two resources that all jobs use in the
 * same proportion cannot be told apart: they share what is lost.
 */
#ifndef FLEET_FIT_H
#define FLEET_FIT_H

#include "step.h"

enum { FIT_JOBS = 100000 }; /* of more every n-th is taken */

struct fit_asked {
    bool overlap; /* fit it too */
};

struct fit {
    struct cluster cluster; /* that of the jobs, with what was fitted */
    bool fitted[RESOURCES];
    uint32_t jobs, figures;     /* with a measured step or part; of these so many */
    double error_before, error; /* mean of |modelled / measured - 1| over the figures, as given and as fitted */
};

/* False where no job has a measured figure. The jobs have no problem. */
bool fit_efficiencies(const struct job *jobs, uint32_t count, const struct cluster *cluster,
                      const struct fit_asked *asked, struct fit *fit);

/*
 * The job with the input_bytes, flops, memory_bytes and weight_bytes that it lacks, as the measured parts of its step would
 * have them on the cluster: so that its step there has those parts, and elsewhere scales with what they wait for. The time
 * of the GPU counts as flops where the job has no memory_bytes. False, and the job as it was, where its architecture needs
 * an amount of which it does not have the measured part either.
 */
bool fit_job(struct job *job, const struct cluster *cluster);

#endif
