/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joined <= made <= joined + room. The lock guards what is in struct line; no
 * stage holds it. Whoever is free joins the item whose turn it is, else makes
 * the next one and works on it, else waits.
 */
#include "stages.h"

#include <pthread.h>

#include "base/mem.h"

struct line {
    const struct stages *stages;
    void *context;
    size_t room;
    size_t made, joined;
    bool *worked;         /* a place: the item in it waits to be joined */
    bool making, joining; /* a thread is at it */
    bool ended, stopped;  /* no more can be made; one was not joined */
    unsigned threads;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static bool may_join(const struct line *line)
{
    return !line->joining && !line->stopped && line->joined < line->made && line->worked[line->joined % line->room];
}

static bool may_make(const struct line *line)
{
    return !line->making && !line->stopped && !line->ended && line->made - line->joined < line->room;
}

static bool all_done(const struct line *line)
{
    return line->stopped || (line->ended && line->joined == line->made);
}

/* The functions below are called with the lock held, and hold it when they return. */

static void join(struct line *line)
{
    line->joining = true;
    pthread_mutex_unlock(&line->lock);
    const bool joined = line->stages->join(line->context, line->joined);
    pthread_mutex_lock(&line->lock);
    line->joining = false;
    line->worked[line->joined % line->room] = false;
    line->joined += joined;
    line->stopped = !joined;
    pthread_cond_broadcast(&line->changed);
}

static void make_and_work(struct line *line, unsigned thread)
{
    const size_t item = line->made;
    line->making = true;
    pthread_mutex_unlock(&line->lock);
    const bool made = line->stages->make(line->context, item);
    pthread_mutex_lock(&line->lock);
    line->making = false;
    line->made += made;
    line->ended = !made;
    pthread_cond_broadcast(&line->changed);
    if (!made)
        return;
    pthread_mutex_unlock(&line->lock);
    line->stages->work(line->context, thread, item);
    pthread_mutex_lock(&line->lock);
    line->worked[item % line->room] = true;
}

static void *run(void *argument)
{
    struct line *const line = argument;
    pthread_mutex_lock(&line->lock);
    const unsigned thread = line->threads++;
    while (!all_done(line)) {
        if (may_join(line))
            join(line);
        else if (may_make(line))
            make_and_work(line, thread);
        else
            pthread_cond_wait(&line->changed, &line->lock);
    }
    pthread_mutex_unlock(&line->lock);
    return NULL;
}

void stages_run(const struct stages *stages, unsigned threads, size_t room, void *context)
{
    struct line line = {.stages = stages, .context = context, .room = room};
    line.worked = mem_zeroed(room * sizeof *line.worked);
    pthread_mutex_init(&line.lock, NULL);
    pthread_cond_init(&line.changed, NULL);
    pthread_t *const helper = mem_alloc(threads * sizeof *helper);
    unsigned started = 0;
    while (started + 1 < threads && !pthread_create(&helper[started], NULL, run, &line))
        started++;
    run(&line);
    while (started)
        pthread_join(helper[--started], NULL);
    pthread_cond_destroy(&line.changed);
    pthread_mutex_destroy(&line.lock);
    mem_free(helper);
    mem_free(line.worked);
}
