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

/* Samples that are the same, once with their number. */
struct sample_run {
    int64_t ns;
    uint32_t events : 31;
    bool full : 1;
    uint32_t count;
};

/* The runs of one key, ascending by time, then by what else tells them apart. */
struct sample_runs {
    const struct sample_run *at;
    size_t count;
};

struct sample_key {
    uint32_t kind, before, name; /* before: of T1 between two operators the first; 0 (no text): the name alone */
};

/* Kinds and names as dense numbers. */
struct sample_keys {
    struct intern *names;
    struct map of; /* kind and names to key */
    struct sample_key *at;
    size_t count, room;
};

void sample_keys_open(struct sample_keys *keys);
void sample_keys_close(struct sample_keys *keys);

/* Found or added. `before` may be empty. */
uint32_t sample_keys_add(struct sample_keys *keys, uint32_t kind, str before, str name);

/* That of the others' key i here; MAP_NONE where it is not known. */
uint32_t sample_keys_find(const struct sample_keys *keys, const struct sample_keys *others, size_t i);

/* The name of a row of key i, in the arena. */
str sample_keys_name(const struct sample_keys *keys, size_t i, struct arena *arena);

struct overhead_samples {
    struct sample_keys keys;
    struct sample *at;
    size_t count, room;
    bool profiled; /* any of the programs was recorded with the profiler on */
};

/* The name of T1 between two operators: "aten::relu > aten::linear". */
str overhead_pair(str before, str name, struct arena *arena);

/* The sample's key is set here. `before` may be empty. */
void samples_put(struct overhead_samples *samples, uint32_t kind, str before, str name, struct sample sample);

/* What is known of each key: of one collection, or of many in a pool (sample_pool.h). */
struct samples_dealt {
    const struct sample_keys *keys;
    const struct sample_runs *of; /* by key */
    bool profiled;
};
struct samples_dealt overhead_samples_by_key(const struct overhead_samples *samples, struct arena *arena);

/* Puts runs in order and joins those that have become the same; how many are left. */
size_t sample_runs_tidy(struct sample_run *runs, size_t count);

/*
 * What the profiler costs an event, ns. Between the end of a call and the start of the next in one operator lie the end
 * of one event and the begin of another, which together are the profiler's work for one event, and what the operator
 * does between the two. Where it does nothing only the first is left: so the least that two neighbours seen often are
 * apart, in the mean, bounds the cost from above. 0 where nothing was recorded with the profiler on.
 */
double profiler_cost_ns(const struct samples_dealt *dealt);

#endif
