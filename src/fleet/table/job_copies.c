/* SPDX-License-Identifier: Apache-2.0 */
#include "job_copies.h"

static void copy_texts(struct job *job, struct arena *arena)
{
    str *const texts[] = {&job->name, &job->gpu, &job->network, &job->group};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = texts[i]->len ? str_copy(arena, *texts[i]) : S("");
}

/* Passes over the jobs of other processes. */
static bool next_of_share(struct job_feed *feed, struct job *job)
{
    while (import_next(feed->import, job))
        if (feed->shares <= 1 || feed->given++ % feed->shares == feed->share)
            return true;
    return false;
}

bool job_copies_next(struct job_feed *feed, struct job_copies *copies, struct arena *arena)
{
    for (copies->count = 0; copies->count < JOB_COPIES; copies->count++) {
        struct job *const job = &copies->jobs[copies->count];
        if (!next_of_share(feed, job))
            break;
        copy_texts(job, arena);
    }
    return copies->count > 0;
}
