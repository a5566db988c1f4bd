/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items that pass three stages, on several threads: they are made in order, one
 * at a time; worked on at the same time; and joined in order, one at a time.
 * The thread that made an item works on it, while it is fresh in its cache.
 */
#ifndef PARALLEL_STAGES_H
#define PARALLEL_STAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Items are numbered from 0, threads too. */
struct stages {
    bool (*make)(void *context, size_t item); /* false: there is no such item, and none after it */
    void (*work)(void *context, unsigned thread, size_t item);
    bool (*join)(void *context, size_t item); /* false: it and those after it are left as they are */
};

/*
 * Runs the stages until there are no more items, or one is not joined. At most `room` items are between made and
 * joined, so that item i can lie in place i % room of an array of the caller's. Where no thread can be started the caller
 * does it all.
 */
void stages_run(const struct stages *stages, unsigned threads, size_t room, void *context);

#endif
