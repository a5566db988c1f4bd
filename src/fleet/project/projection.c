/* SPDX-License-Identifier: Apache-2.0 */
#include "projection.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "parallel/crew.h"
#include "projection_rows.h"
#include "fleet/population/weights.h"

/* Hardware as one thread looks it up: here, then one a point, with the target that was made of it last. */
struct lookup {
    struct machines *here, **there;
    struct target *targets;
    const struct cluster **made_of;
};

struct reading {
    const struct projection_asked *asked;
    struct projection *whole;
    struct arena *arena;
    struct lookup lookups[FLEET_THREADS];
};

struct block {
    const struct reading *reading;
    struct projection part;
    struct buf rows;
    const struct lookup *lookup;
};

static void projection_begin(struct projection *projection, const struct projection_asked *asked, bool grouped)
{
    const uint32_t points = asked->point_count;
    *projection = (struct projection){
        .by_architecture = population_new(PROJECTION_VALUES), .point_count = points, .also_count = asked->also.count};
    projection->also = mem_zeroed(asked->also.count * sizeof *projection->also);
    projection->points = mem_zeroed((size_t)points * ARCHITECTURES * sizeof *projection->points);
    if (grouped)
        projection->by_group = population_new(PROJECTION_VALUES);
}

void projection_free(struct projection *projection)
{
    population_free(projection->by_architecture);
    population_free(projection->by_group);
    kept_rows_close(&projection->rows);
    mem_free(projection->points);
    mem_free(projection->also);
    *projection = (struct projection){0};
}

/* ---- a row ---- */

static void add_point(struct point_sums *sums, const struct projected *projected, const double weight[WEIGHTS])
{
    sums->jobs++;
    for (int i = 0; i < WEIGHTS; i++) {
        sums->weight[i] += weight[i];
        sums->speedup[i] += weight[i] * projected->speedup;
        sums->faster[i] += projected->speedup > 1 ? weight[i] : 0;
    }
}

static void fill_values(const struct projected *projected, double *values)
{
    double sum = 0;
    for (int part = 0; part < PARTS; part++)
        sum += projected->after.ms[part];
    values[SPEEDUP] = projected->speedup;
    values[CNODE_SPEEDUP] = projected->cnode_speedup;
    values[BEFORE_MS] = projected->before.step_ms;
    values[AFTER_MS] = projected->after.step_ms;
    for (int part = 0; part < PART_BUBBLE; part++)
        values[AFTER_SHARE + part] = sum > 0 ? projected->after.ms[part] / sum : NAN;
}

static void add_asked(struct block *block, const struct job *job, const struct projected *projected,
                      const double weight[WEIGHTS])
{
    struct projection *part = &block->part;
    part->sums.jobs++;
    part->sums.obstacles[projected->obstacle]++;
    projection_row_write(&block->rows, job, projected);
    if (projected->obstacle != OBSTACLE_NONE)
        return;
    double values[PROJECTION_VALUES];
    fill_values(projected, values);
    part->sums.before_after[projected->before.bottleneck][projected->after.bottleneck]++;
    population_add(part->by_architecture, architecture_word(job->architecture), weight, values);
    if (part->by_group)
        population_add(part->by_group, job->group, weight, values);
}

/* Clusters are large and jobs many: a target is made once for all jobs of the same cluster. */
static const struct target *target_of(const struct projection_asked *asked, const struct lookup *lookup,
                                      const struct cluster *there, uint32_t i)
{
    if (lookup->made_of[i] != there) {
        lookup->made_of[i] = there;
        lookup->targets[i] = (struct target){.moves = asked->moves && !asked->points[i].stays,
                                             .architecture = asked->architecture,
                                             .traffic_of_weights = asked->traffic_of_weights,
                                             .cluster = *there};
    }
    return &lookup->targets[i];
}

/* NULL, or why the job's row names no hardware. */
static const char *project_point(struct block *block, const struct job *job, const struct job_step *before,
                                 const struct cluster *here, uint32_t i)
{
    const struct projection_asked *asked = block->reading->asked;
    const char *why = NULL;
    const struct cluster *there = machines_of_job(block->lookup->there[i], job, &why);
    if (!there)
        return why;
    const struct target *target = target_of(asked, block->lookup, there, i);
    double weight[WEIGHTS];
    const struct projected projected = job_project_from(job, before, here, target);
    weights_of_job(job, projected.before.step_ms, weight);
    if (i == 0)
        add_asked(block, job, &projected, weight);
    if (projected.obstacle == OBSTACLE_NONE)
        add_point(&block->part.points[i * ARCHITECTURES + job->architecture], &projected, weight);
    return NULL;
}

static const char *add_job(void *context, void *at, const struct job *job, uint64_t line)
{
    (void)context;
    (void)line;
    struct block *block = at;
    const char *why = NULL;
    const struct cluster *here = machines_of_job(block->lookup->here, job, &why);
    if (!here)
        return why;
    const struct job_step before = job_step(job, here);
    const struct projection_also *const also = &block->reading->asked->also;
    why = step_problem(&before);
    if (!why && also->count)
        also->add(also->context, job, &before, here, block->part.also);
    for (uint32_t i = 0; !why && i < block->reading->asked->point_count; i++)
        why = project_point(block, job, &before, here, i);
    return why;
}

/* ---- blocks ---- */

static void open_lookup(struct reading *reading, struct lookup *lookup)
{
    const struct projection_asked *asked = reading->asked;
    lookup->here = machines_new(asked->here.cluster, asked->here.otherwise, asked->here.changes);
    lookup->there = mem_alloc(asked->point_count * sizeof *lookup->there);
    lookup->targets = mem_zeroed(asked->point_count * sizeof *lookup->targets);
    lookup->made_of = mem_zeroed(asked->point_count * sizeof *lookup->made_of);
    for (uint32_t i = 0; i < asked->point_count; i++)
        lookup->there[i] = machines_new(asked->points[i].cluster, asked->points[i].otherwise, asked->points[i].changes);
}

static void close_lookup(const struct reading *reading, struct lookup *lookup)
{
    if (!lookup->here)
        return;
    machines_free(lookup->here);
    for (uint32_t i = 0; i < reading->asked->point_count; i++)
        machines_free(lookup->there[i]);
    mem_free(lookup->there);
    mem_free(lookup->targets);
    mem_free(lookup->made_of);
}

static void *begin_block(void *context, unsigned thread)
{
    struct reading *reading = context;
    struct block *block = mem_zeroed(sizeof *block);
    if (!reading->lookups[thread].here)
        open_lookup(reading, &reading->lookups[thread]);
    block->reading = reading;
    block->lookup = &reading->lookups[thread];
    projection_begin(&block->part, reading->asked, reading->whole->by_group != NULL);
    return block;
}

static void add_all_points(struct point_sums *into, const struct point_sums *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        into[i].jobs += from[i].jobs;
        for (int by = 0; by < WEIGHTS; by++) {
            into[i].weight[by] += from[i].weight[by];
            into[i].speedup[by] += from[i].speedup[by];
            into[i].faster[by] += from[i].faster[by];
        }
    }
}

static void add_all_sums(struct projection_sums *into, const struct projection_sums *from)
{
    into->jobs += from->jobs;
    for (int i = 0; i < OBSTACLES; i++)
        into->obstacles[i] += from->obstacles[i];
    for (int before = 0; before < PARTS; before++)
        for (int after = 0; after < PARTS; after++)
            into->before_after[before][after] += from->before_after[before][after];
}

static void add_all_also(struct projection *into, const double *from)
{
    for (uint32_t i = 0; i < into->also_count; i++)
        into->also[i] += from[i];
}

static void drop_block(void *context, void *at)
{
    (void)context;
    struct block *block = at;
    projection_free(&block->part);
    buf_free(&block->rows);
    mem_free(block);
}

static bool join_block(void *context, void *at, struct steptime_error *err)
{
    struct reading *reading = context;
    struct block *block = at;
    struct projection *whole = reading->whole;
    const bool good = kept_rows_add(&reading->whole->rows, block->part.sums.jobs, buf_str(&block->rows), err);
    add_all_sums(&whole->sums, &block->part.sums);
    add_all_points(whole->points, block->part.points, (size_t)whole->point_count * ARCHITECTURES);
    add_all_also(whole, block->part.also);
    population_merge(whole->by_architecture, block->part.by_architecture);
    if (whole->by_group)
        population_merge(whole->by_group, block->part.by_group);
    drop_block(context, at);
    return good;
}

/* ---- a table ---- */

bool projection_of_table(const struct projection_asked *asked, struct arena *arena, struct projection *projection,
                         struct job_table_result *told, struct steptime_error *err)
{
    struct reading *reading = arena_alloc(arena, sizeof *reading);
    *reading = (struct reading){.asked = asked, .whole = projection, .arena = arena};
    projection_begin(projection, asked, asked->table.group_by.len > 0);
    if (!kept_rows_open(&projection->rows, asked->every_row, err))
        return false;
    const struct job_visitor visitor = {
        .context = reading, .begin = begin_block, .row = add_job, .join = join_block, .drop = drop_block};
    const bool good = job_table_read(&asked->table, &visitor, arena, told, err);
    for (int i = 0; i < FLEET_THREADS; i++)
        close_lookup(reading, &reading->lookups[i]);
    return good;
}

/* ---- several processes ---- */

static bool merge_bytes(struct projection *into, str bytes)
{
    struct projection_sums sums;
    const size_t points = (size_t)into->point_count * ARCHITECTURES;
    const size_t also = into->also_count * sizeof *into->also, point_bytes = points * sizeof *into->points;
    if (bytes.len != sizeof sums + point_bytes + also)
        return false;
    double *const others = mem_alloc(also);
    struct point_sums *from = mem_alloc(points * sizeof *from);
    memcpy(&sums, bytes.at, sizeof sums);
    memcpy(from, bytes.at + sizeof sums, point_bytes);
    memcpy(others, bytes.at + sizeof sums + point_bytes, also);
    add_all_sums(&into->sums, &sums);
    add_all_points(into->points, from, points);
    add_all_also(into, others);
    mem_free(from);
    mem_free(others);
    return true;
}

static bool gather_sums(struct projection *projection, struct arena *arena, struct steptime_error *err)
{
    const struct crew *crew = crew_ours();
    struct buf mine = {0};
    str *parts = arena_array(arena, crew->count, sizeof *parts);
    buf_add(&mine, (str){(const char *)&projection->sums, sizeof projection->sums});
    buf_add(&mine, (str){(const char *)projection->points,
                         (size_t)projection->point_count * ARCHITECTURES * sizeof *projection->points});
    buf_add(&mine, (str){(const char *)projection->also, projection->also_count * sizeof *projection->also});
    bool good = crew->gather(buf_str(&mine), arena, parts, err);
    for (unsigned i = 1; good && crew->rank == 0 && i < crew->count; i++)
        good = merge_bytes(projection, parts[i]) || fail(err, STEPTIME_INPUT, "process %u sent what cannot be read", i);
    buf_free(&mine);
    return good;
}

bool projection_gather(struct projection *projection, struct job_table_result *told, struct arena *arena,
                       struct steptime_error *err)
{
    return crew_ours()->count == 1 || (gather_sums(projection, arena, err) && job_table_gather(told, arena, err) &&
                                       population_gather(projection->by_architecture, err) &&
                                       (!projection->by_group || population_gather(projection->by_group, err)));
}
