/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of overheads as they are taken, before anything is made of them. */
#ifndef PREDICT_SAMPLES_H
#define PREDICT_SAMPLES_H

#include "base/intern.h"
#include "base/map.h"
#include "overheads.h"

enum {
    SAMPLES_T1_SAME = OVERHEADS, /* T1 under the same module, for the mean over all names */
    SAMPLES_NEIGHBOURS, /* from the end of a call to the start of the next in one operator; see profiler_cost_ns */
    SAMPLE_KINDS,
};

struct sample {
    int64_t ns;
    uint32_t key;    /* into keys */
    uint32_t events; /* recorded inside, each of which cost the profiler's time */
    bool full;       /* taken while the device was behind by a full queue: an outlier is a wait for room */
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

/* The name of T1 between two operators: "aten::relu > aten::linear". */
str overhead_pair(str before, str name, struct arena *arena);

struct overhead_batch {
    const struct sample *at;
    size_t count;
    const struct sample_key *keys; /* name: index into names */
    const str *names;
    bool profiled;
};

void samples_put(struct overhead_samples *samples, uint32_t kind, str name, struct sample sample); /* key is set here */

/* The samples of each key, by value; from[key] .. from[key + 1]. In the arena. */
struct samples_dealt {
    const struct sample *at;
    const size_t *from;
};
struct samples_dealt overhead_samples_by_key(const struct overhead_samples *samples, struct arena *arena);

/*
 * What the profiler costs an event, ns. Between the end of a call and the start of the next in one operator lie the end
 * of one event and the begin of another, which together are the profiler's work for one event, and what the operator
 * does between the two. Where it does nothing only the first is left: so the least that two neighbours seen often are
 * apart, in the mean, bounds the cost from above. 0 where nothing was recorded with the profiler on.
 */
double profiler_cost_ns(const struct overhead_samples *samples, const struct samples_dealt *dealt);

#endif
