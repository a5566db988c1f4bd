/* SPDX-License-Identifier: Apache-2.0 */
#include "split.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "split_rows.h"
#include "parallel/crew.h"
#include "fleet/step/goodput.h"
#include "fleet/population/weights.h"

/* What is known while a table is read. */
struct reading {
    const struct split_asked *asked;
    struct split *whole;
    struct arena *arena;
    struct machines **machines; /* one a thread, made when it begins */
    unsigned threads;
};

/* The sums of a block of rows. */
struct block {
    struct split part;
    struct buf rows;
    struct machines *machines;
};

static void split_begin(struct split *split, bool grouped)
{
    *split = (struct split){.by_architecture = population_new(SPLIT_VALUES)};
    if (grouped)
        split->by_group = population_new(SPLIT_VALUES);
}

void split_free(struct split *split)
{
    population_free(split->by_architecture);
    population_free(split->by_group);
    kept_rows_close(&split->rows);
    *split = (struct split){0};
}

/* ---- a row ---- */

static void add_measured(struct split_sums *sums, const struct job *job, const struct job_step *step, double *values)
{
    const double measured = job->field[JOB_MEASURED_MS];
    if (isnan(measured) || measured <= 0 || job->lacks_amounts)
        return; /* what is recorded is not modelled */
    const double error = (step->step_ms - measured) / measured;
    values[ERROR_RATIO] = fabs(error);
    sums->signed_error += error;
    sums->measured++;
}

/* Shares are of the sum of the parts, which overlap leaves as it is. */
static void fill_shares(const struct job_step *step, double *values)
{
    double sum = 0;
    for (int part = 0; part < PARTS; part++)
        sum += step->ms[part];
    for (int part = 0; part < PARTS; part++)
        values[SHARE_OF_PART + part] = sum > 0 ? step->ms[part] / sum : NAN;
}

static void add_sums(struct split_sums *sums, const struct job *job, const struct job_step *step,
                     const double weight[WEIGHTS])
{
    sums->jobs++;
    sums->cnodes += job->field[JOB_CNODES];
    sums->without_duration += isnan(job->field[JOB_DURATION_S]);
    if (isnan(step->step_ms))
        return;
    for (int i = 0; i < WEIGHTS; i++)
        sums->longest[job->architecture][step->bottleneck][i] += weight[i];
}

static const char *add_job(void *context, void *at, const struct job *job, uint64_t line)
{
    (void)context;
    (void)line;
    struct block *block = at;
    const char *why;
    const struct cluster *cluster = machines_of_job(block->machines, job, &why);
    if (!cluster)
        return why;
    struct split *part = &block->part;
    const struct job_step step = job_step(job, cluster);
    if (step_problem(&step))
        return step_problem(&step);
    const struct goodput goodput = job_goodput(job, cluster);
    double values[SPLIT_VALUES], weight[WEIGHTS];
    weights_of_job(job, step.step_ms, weight);
    fill_shares(&step, values);
    values[STEP_MS] = step.step_ms;
    const bool too_fast = goodput.mfu > 1;
    part->sums.too_fast += too_fast;
    values[MFU] = too_fast ? NAN : goodput.mfu;
    values[PROGRAM_GOODPUT] = too_fast ? NAN : goodput.program;
    values[PRODUCTIVE] = goodput.productive;
    values[ERROR_RATIO] = NAN;
    values[CNODES] = job->field[JOB_CNODES];
    add_measured(&part->sums, job, &step, values);
    add_sums(&part->sums, job, &step, weight);
    population_add(part->by_architecture, architecture_word(job->architecture), weight, values);
    if (part->by_group)
        population_add(part->by_group, job->group, weight, values);
    split_row_write(&block->rows, job, &step);
    return NULL;
}

/* ---- blocks ---- */

static void *begin_block(void *context, unsigned thread)
{
    struct reading *reading = context;
    struct block *block = mem_zeroed(sizeof *block);
    if (!reading->machines[thread])
        reading->machines[thread] = machines_new(reading->asked->cluster, NULL, reading->asked->changes);
    block->machines = reading->machines[thread];
    split_begin(&block->part, reading->whole->by_group != NULL);
    return block;
}

static void add_all_sums(struct split_sums *into, const struct split_sums *from)
{
    into->jobs += from->jobs;
    into->without_duration += from->without_duration;
    into->measured += from->measured;
    into->too_fast += from->too_fast;
    into->cnodes += from->cnodes;
    into->signed_error += from->signed_error;
    for (int i = 0; i < ARCHITECTURES; i++)
        for (int part = 0; part < PARTS; part++)
            for (int weight = 0; weight < WEIGHTS; weight++)
                into->longest[i][part][weight] += from->longest[i][part][weight];
}

static void merge(struct split *into, const struct split *from)
{
    add_all_sums(&into->sums, &from->sums);
    population_merge(into->by_architecture, from->by_architecture);
    if (into->by_group)
        population_merge(into->by_group, from->by_group);
}

static void drop_block(void *context, void *at)
{
    (void)context;
    struct block *block = at;
    split_free(&block->part);
    buf_free(&block->rows);
    mem_free(block);
}

static bool join_block(void *context, void *at, struct steptime_error *err)
{
    struct reading *reading = context;
    struct block *block = at;
    const bool good = kept_rows_add(&reading->whole->rows, block->part.sums.jobs, buf_str(&block->rows), err);
    merge(reading->whole, &block->part);
    drop_block(context, at);
    return good;
}

/* ---- a table ---- */

bool split_of_table(const struct split_asked *asked, struct arena *arena, struct split *split,
                    struct job_table_result *told, struct steptime_error *err)
{
    struct reading reading = {.asked = asked, .whole = split, .arena = arena, .threads = FLEET_THREADS};
    reading.machines = arena_array(arena, FLEET_THREADS, sizeof *reading.machines);
    split_begin(split, asked->table.group_by.len > 0);
    if (!kept_rows_open(&split->rows, asked->every_row, err))
        return false;
    const struct job_visitor visitor = {
        .context = &reading, .begin = begin_block, .row = add_job, .join = join_block, .drop = drop_block};
    const bool good = job_table_read(&asked->table, &visitor, arena, told, err);
    for (unsigned i = 0; i < reading.threads; i++)
        machines_free(reading.machines[i]);
    return good;
}

/* ---- several processes ---- */

static bool gather_sums(struct split_sums *sums, struct arena *arena, struct steptime_error *err)
{
    const struct crew *crew = crew_ours();
    str *parts = arena_array(arena, crew->count, sizeof *parts);
    if (!crew->gather((str){(const char *)sums, sizeof *sums}, arena, parts, err))
        return false;
    for (unsigned i = 1; crew->rank == 0 && i < crew->count; i++) {
        struct split_sums part;
        if (parts[i].len != sizeof part)
            return fail(err, STEPTIME_INPUT, "process %u sent what cannot be read", i);
        memcpy(&part, parts[i].at, sizeof part);
        add_all_sums(sums, &part);
    }
    return true;
}

bool split_gather(struct split *split, struct job_table_result *told, struct arena *arena, struct steptime_error *err)
{
    return crew_ours()->count == 1 || (gather_sums(&split->sums, arena, err) && job_table_gather(told, arena, err) &&
                                       population_gather(split->by_architecture, err) &&
                                       (!split->by_group || population_gather(split->by_group, err)));
}
