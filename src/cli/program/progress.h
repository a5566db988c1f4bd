/* SPDX-License-Identifier: Apache-2.0 */
/* A line on standard error for work that takes over a second, where someone is looking. It is gone when the work is done. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct progress {
    const char *what;       /* the files are: "traces" */
    _Atomic int64_t *bytes; /* packed bytes read, by file */
    atomic_uint done;       /* files read and analysed */
    uint32_t files;
    int64_t total_bytes; /* 0: unknown */

    bool shown; /* a thread draws */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over;
};

void progress_begin(struct progress *progress, const char *what, uint32_t files, int64_t total_bytes,
                    struct arena *arena);
void progress_end(struct progress *progress);

#endif
