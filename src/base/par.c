/* SPDX-License-Identifier: Apache-2.0 */
#include "par.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MOST_THREADS = 256 };

struct job {
    atomic_size_t next; /* the first index nobody has taken */
    size_t count;
    void (*work)(void *, size_t);
    void *context;
};

unsigned par_cores(void)
{
    cpu_set_t set;
    const int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

static void *run(void *argument)
{
    struct job *job = argument;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;)
        job->work(job->context, i);
    return NULL;
}

void par_each(size_t count, unsigned threads, void (*work)(void *, size_t), void *context)
{
    struct job job = {.count = count, .work = work, .context = context};
    size_t wanted = threads ? threads : par_cores();
    if (wanted > count)
        wanted = count;
    if (wanted > MOST_THREADS)
        wanted = MOST_THREADS;
    pthread_t helper[MOST_THREADS];
    size_t started = 0;
    while (started + 1 < wanted && !pthread_create(&helper[started], NULL, run, &job))
        started++;
    run(&job);
    while (started)
        pthread_join(helper[--started], NULL);
}
