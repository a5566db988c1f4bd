/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic.h"

#include "architecture.h"
#include "layout.h"

static const double adam_copies = 3;

/* Bytes sent and received for each byte of dense weights, and of embedding rows that a step touches. */
struct factors {
    double dense, touched;
};

/* Among n replicas. Central: pulled and pushed. Along a ring every pass sends and receives (n - 1) / n of all. */
static struct factors factors_of(const struct architecture_row *row, double n)
{
    const double ring = 2 * row->passes * (n - 1) / n;
    switch (row->traffic) {
    case TRAFFIC_CENTRAL:
        return (struct factors){2, 2};
    case TRAFFIC_PARTED:
        return (struct factors){ring, ring};
    case TRAFFIC_RING: /* of replicated tables the touched rows of all go to all */
        return (struct factors){ring, 2 * (n - 1)};
    default:
        return (struct factors){0, 0};
    }
}

static struct factors factors_of_job(const struct job *job)
{
    return factors_of(&architecture_rows[job->architecture], layout_of(job, INFINITY).data);
}

/* What of its traffic the dense weights leave over is rows of embeddings, where it has such. */
static bool parts_of_traffic(const struct job *job, struct factors *bytes)
{
    const struct factors here = factors_of_job(job);
    const double dense = job->field[JOB_DENSE_WEIGHT_BYTES] / job_figure(job, JOB_WEIGHT_COPIES, adam_copies);
    const double tables = job_figure(job, JOB_EMBEDDING_WEIGHT_BYTES, 0), all = job->field[JOB_WEIGHT_BYTES];
    const bool told = here.dense > 0 && !isnan(all);
    *bytes = (struct factors){dense, 0};
    if (told && tables > 0 && all > here.dense * dense)
        bytes->touched = (all - here.dense * dense) / here.touched;
    else if (told)
        bytes->dense = all / here.dense;
    return !isnan(dense) && (told || tables <= 0);
}

double traffic_there(const struct job *job, const struct job *there)
{
    struct factors bytes;
    if (!parts_of_traffic(job, &bytes))
        return NAN;
    const struct factors factors = factors_of_job(there);
    return factors.dense * bytes.dense + factors.touched * bytes.touched;
}

double traffic_stored_bytes(const struct job *job)
{
    if (isnan(job->field[JOB_DENSE_WEIGHT_BYTES]) && isnan(job->field[JOB_EMBEDDING_WEIGHT_BYTES]))
        return NAN;
    const double dense = job_figure(job, JOB_DENSE_WEIGHT_BYTES, 0);
    const double tables = job_figure(job, JOB_EMBEDDING_WEIGHT_BYTES, 0);
    const double copies = job_figure(job, JOB_WEIGHT_COPIES, adam_copies);
    const struct layout layout = layout_of(job, INFINITY);
    const double whole = (dense + tables) / (layout.tensor * layout.pipeline);
    switch (architecture_rows[job->architecture].stored) {
    case STORED_WHOLE:
        return whole;
    case STORED_EMBEDDINGS_PARTED:
        return dense + tables / layout.cnodes;
    case STORED_STATES_PARTED:
        return whole * (1 + (copies - 1) / layout.data) / copies;
    case STORED_ALL_PARTED:
        return whole / layout.data;
    default:
        return 0;
    }
}
