/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of overheads as they are taken, before anything is made of them. */
#ifndef PREDICT_SAMPLES_H
#define PREDICT_SAMPLES_H

#include "base/intern.h"
#include "base/map.h"
#include "predict/overheads.h"

enum {
    SAMPLES_T1_SAME = OVERHEADS, /* T1 under the same module, for the mean over all names */
    SAMPLES_WRAPPER,             /* what an operator takes beside the one operator it calls; see profiler_cost_ns */
    SAMPLE_KINDS,
};

struct sample {
    int64_t ns;
    uint32_t key;    /* into keys */
    uint32_t events; /* recorded inside, each of which cost the profiler's time */
};

struct sample_key {
    uint32_t kind, name;
};

struct overhead_samples {
    struct intern *names;
    struct map key_of; /* kind and name to key */
    struct sample_key *keys;
    size_t key_count, key_room;
    struct sample *at;
    size_t count, room;
    bool profiled; /* any of the programs was recorded with the profiler on */
};

void samples_put(struct overhead_samples *samples, uint32_t kind, str name, int64_t ns, uint32_t events);

/* The samples of each key, by value; from[key] .. from[key + 1]. In the arena. */
struct samples_dealt {
    const struct sample *at;
    const size_t *from;
};
struct samples_dealt samples_deal(const struct overhead_samples *samples, struct arena *arena);

/*
 * What the profiler costs an event, ns. An operator that does nothing but call one other takes the time of two
 * dispatches and of the profiler's work for one event; the least that such operators take in the median, of those seen
 * often, bounds it from above. 0 where nothing was recorded with the profiler on, or no such operator was seen.
 */
double profiler_cost_ns(const struct overhead_samples *samples, const struct samples_dealt *dealt);

#endif
