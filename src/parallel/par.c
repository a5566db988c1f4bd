/* SPDX-License-Identifier: Apache-2.0 */
#include "par.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MOST_THREADS = 256 };

struct job {
    atomic_size_t next; /* the first index nobody has taken */
    size_t count;
    unsigned share; /* cores a thread may keep busy */
    void (*work)(void *, size_t);
    void *context;
};

/* Of the current thread, in the work of a par_each; 0 outside. */
static _Thread_local unsigned own_share;

static unsigned process_cores(void)
{
    cpu_set_t set;
    const int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

unsigned par_cores(void)
{
    return own_share ? own_share : process_cores();
}

static void *run(void *argument)
{
    struct job *job = argument;
    own_share = job->share;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;)
        job->work(job->context, i);
    return NULL;
}

void par_each(size_t count, unsigned threads, void (*work)(void *, size_t), void *context)
{
    const unsigned before = own_share, cores = threads ? threads : par_cores();
    size_t wanted = cores < MOST_THREADS ? cores : MOST_THREADS;
    if (wanted > count)
        wanted = count;
    struct job job = {.count = count, .work = work, .context = context};
    job.share = wanted && cores > wanted ? cores / (unsigned)wanted : 1;
    pthread_t helper[MOST_THREADS];
    size_t started = 0;
    while (started + 1 < wanted && !pthread_create(&helper[started], NULL, run, &job))
        started++;
    run(&job);
    own_share = before;
    while (started)
        pthread_join(helper[--started], NULL);
}
