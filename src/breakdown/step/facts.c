/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include "base/mem.h"
#include "base/stat.h"
#include "base/sum.h"

static const char *const words[BOUNDS] = {
    [BOUND_COMPUTE] = "GPU-bound", [BOUND_COMMUNICATION] = "communication-bound",
    [BOUND_COPIES] = "copy-bound", [BOUND_INPUT] = "input-bound",
    [BOUND_HOST] = "host-bound",   [BOUND_UNKNOWN] = "unknown",
    [BOUND_STALL] = "stalled",     [BOUND_START] = "start-up",
    [BOUND_LATE] = "late rank",    [BOUND_BALANCED] = "balanced",
};

str bound_word(enum bound bound, bool device)
{
    return bound == BOUND_COMPUTE && !device ? S("compute-bound") : str_of(words[bound]);
}

enum bound bound_of_part(enum part part, bool device)
{
    if ((part >= PART_FIRST_COPY && part <= PART_LAST_COPY) || part == PART_MEMSET)
        return BOUND_COPIES;
    switch (part) {
    case PART_COMPUTE:
        return BOUND_COMPUTE;
    case PART_EXPOSED_COMMUNICATION:
    case PART_COMMUNICATION:
    case PART_DEPENDENCY: /* queued behind another stream, in practice the one that communicates */
        return BOUND_COMMUNICATION;
    case PART_DATA_LOADING:
        return BOUND_INPUT;
    case PART_FORWARD:
    case PART_BACKWARD:
    case PART_OPTIMIZER: /* on a host alone these are the computation */
        return device ? BOUND_HOST : BOUND_COMPUTE;
    case PART_PROFILER:
    case PART_UNKNOWN:
        return BOUND_UNKNOWN;
    default:
        return BOUND_HOST;
    }
}

/* ---- sums ---- */

struct sums {
    int64_t *walls; /* of every step of every rank */
    size_t count, room;
    int128_t parts[PARTS], first;
    uint32_t firsts;
};

static void add_step(struct sums *sums, const struct breakdown_step *step)
{
    sums->walls = mem_grow(sums->walls, &sums->room, sums->count + 1, sizeof *sums->walls);
    sums->walls[sums->count++] = step->wall_ns;
    for (int p = 0; p < PARTS; p++)
        sums->parts[p] += step->part_ns[p];
}

static void add_device(struct sums *sums, const struct breakdown_device *device)
{
    for (uint32_t i = 0; i < device->step_count; i++)
        add_step(sums, &device->steps[i]);
    if (device->step_count) {
        sums->first += device->steps[0].wall_ns;
        sums->firsts++;
    }
}

static void note_longest(struct facts *facts, const struct breakdown_device *device)
{
    for (int part = 0; part < PARTS; part++)
        if ((double)device->idle[part].longest_ns > facts->longest_ns[part])
            facts->longest_ns[part] = (double)device->idle[part].longest_ns;
}

static void note_blocking(struct facts *facts, const struct breakdown_device *device, struct arena *arena)
{
    if (!device->blocking_count || (double)device->blocking[0].total_ns <= facts->blocked_ns)
        return;
    const struct breakdown_blocking *most = &device->blocking[0];
    facts->blocked_ns = (double)most->total_ns;
    facts->blocked_call = str_copy(arena, most->call);
    facts->blocked_operator = str_copy(arena, most->op);
    facts->blocked_frame = str_copy(arena, most->frame);
}

/* ---- the mean step ---- */

static void take_means(struct facts *facts, struct sums *sums)
{
    const struct stat_summary wall = stat_summarise(sums->walls, sums->count);
    const double n = sums->count ? (double)sums->count : 1;
    facts->steps = (uint32_t)sums->count;
    facts->wall_ns = wall.mean;
    facts->p50_ns = wall.p50;
    facts->p95_ns = wall.p95;
    facts->first_ns = sums->firsts ? (double)sums->first / sums->firsts : 0;
    facts->blocked_ns /= n;
    for (int p = 0; p < PARTS; p++) {
        facts->part_ns[p] = (double)sums->parts[p] / n;
        facts->bound_ns[bound_of_part(p, facts->device)] += facts->part_ns[p];
    }
}

void compilations_add(struct compilations *sums, const struct compilations *more)
{
    sums->functions += more->functions;
    sums->graphs += more->graphs;
    sums->again += more->again;
    sums->numbered |= more->numbered;
}

void compilations_show(const struct compilations *compilations, struct section *section)
{
    const bool any = compilations->functions || compilations->graphs || compilations->numbered;
    void (*const put)(struct section *, const char *, const char *, enum unit, struct cell) =
        any ? section_value : section_detail;
    put(section, "compilations", "functions compiled", UNIT_COUNT, cell_int(compilations->functions));
    put(section, "recompilations", "functions compiled again", UNIT_COUNT,
        any && !compilations->numbered ? cell_null() : cell_int(compilations->again));
    put(section, "compiled_graphs", "graphs compiled", UNIT_COUNT, cell_int(compilations->graphs));
}

struct facts_adding {
    struct facts facts;
    struct sums sums;
    struct arena *arena;
};

struct facts_adding *facts_open(struct arena *arena)
{
    struct facts_adding *adding = arena_alloc(arena, sizeof *adding);
    *adding = (struct facts_adding){.facts.steps_from = STEPS_NONE, .arena = arena};
    return adding;
}

void facts_add(struct facts_adding *adding, const struct breakdown *rank)
{
    struct facts *facts = &adding->facts;
    if (!facts->ranks++)
        facts->steps_from = rank->step_source;
    compilations_add(&facts->compilations, &rank->compilations);
    for (uint32_t d = 0; d < rank->device_count; d++) {
        const struct breakdown_device *device = &rank->devices[d];
        facts->device |= device->recorded;
        add_device(&adding->sums, device);
        note_longest(facts, device);
        note_blocking(facts, device, adding->arena);
    }
}

struct facts facts_close(struct facts_adding *adding)
{
    take_means(&adding->facts, &adding->sums);
    mem_free(adding->sums.walls);
    return adding->facts;
}
