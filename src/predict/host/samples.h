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
    uint32_t key;         /* into keys */
    uint32_t events : 31; /* recorded inside, each of which cost the profiler's time */
    bool full : 1;        /* taken while the device was behind by a full queue: an outlier is a wait for room */
};

struct sample_key {
    uint32_t kind, before, name; /* before: of T1 between two operators the first; 0 (no text): the name alone */
};

struct overhead_samples {
    struct intern *names;
    struct map key_of; /* kind and names to key */
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
    const struct sample_key *keys; /* before, name: index into names */
    size_t key_count;
    const str *names;
    bool profiled;
};

/* The sample's key is set here. `before` may be empty. */
void samples_put(struct overhead_samples *samples, uint32_t kind, str before, str name, struct sample sample);

/* The key of another collection, found or added. */
uint32_t samples_key(struct overhead_samples *samples, uint32_t kind, str before, str name);

/* Adds a sample under a key of samples_key. */
void samples_put_at(struct overhead_samples *samples, uint32_t key, struct sample sample);

/* The name of a row of that key, in the arena. */
str samples_name(const struct overhead_samples *samples, const struct sample_key *key, struct arena *arena);

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
