/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of PAI 2020 as a stream of jobs. The rows of one job may stand
 * anywhere in its tables: they are parted by the hash of the job's name into as
 * many parts as are needed for one to fit memory. The first is put together as
 * its rows come; those of the others wait in temporary files for their turn.
 */

#include "base/error.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "import_stream.h"
#include "base/real.h"
#include "pai_jobs.h"
#include "pai_table.h"
#include "io/same_file.h"
#include "io/spool.h"

enum { PART_BYTES = 64 << 20, MOST_PARTS = 64, MOST_TEXTS = 1 << 20, AHEAD = 16 };

enum task_column { JOB, TASK, INSTANCES, STATUS, START, END, PLAN_CPU, PLAN_MEM, PLAN_GPU, GPU_TYPE, TASK_COLUMNS };
static const char *const task_columns[TASK_COLUMNS] = {"job_name", "task_name", "inst_num", "status",   "start_time",
                                                       "end_time", "plan_cpu",  "plan_mem", "plan_gpu", "gpu_type"};

enum { INSTANCE_JOB, INSTANCE_MACHINE = 8, INSTANCE_COLUMNS };
static const char *const instance_columns[INSTANCE_COLUMNS] = {
    "job_name", "task_name", "inst_name", "worker_name", "inst_id", "status", "start_time", "end_time", "machine"};

enum { OF_JOB_COLUMNS = 6 };
static const char *const job_columns[OF_JOB_COLUMNS] = {"job_name", "inst_id",    "user",
                                                        "status",   "start_time", "end_time"};

/* The value of the --group-by column, of the table of jobs. */
struct job_group {
    uint64_t job;
    uint32_t group;
};

/* Tasks that stand together, as read of a block. */
struct named_tasks {
    struct pai_tasks tasks;
    const char *name; /* in the block */
};

/* The same put aside: as many bytes as the name has. */
struct kept_tasks {
    struct pai_tasks tasks;
    char name[PAI_NAME];
};

struct part {
    struct spool *tasks, *instances, *groups;
};

struct pai {
    struct intern *texts;
    uint32_t task_group, job_group; /* column of --group-by in either table; UINT32_MAX */
    unsigned part_count, part;
    struct part parts[MOST_PARTS]; /* none of the first: its rows go straight into jobs */
    struct pai_jobs *jobs;
    bool knows_machines;
    char tasks[1024], instances[1024], of_jobs[1024]; /* paths of the tables, as far as there are any */
    struct import_drops dropped;                      /* names tables within those paths */
};

/* ---- rows ---- */

static double figure(str text)
{
    double value;
    return real_read(text, &value) ? value : NAN;
}

/* Past so many texts those that are new are one, so that memory has an end. */
static uint32_t text_id(struct pai *pai, str text)
{
    uint32_t id;
    if (intern_count(pai->texts) < MOST_TEXTS || intern_find(pai->texts, text, &id))
        return intern_id(pai->texts, text);
    return intern_id(pai->texts, S("(other)"));
}

static bool is_server(str task)
{
    return str_eq(task, S("ps")) || str_starts(task, S("ps_")) || str_eq(task, S("parameter_server"));
}

/* Tasks without a GPU have no plan_gpu. */
static const char *wrong_with_task(const str *fields, double instances, double gpus)
{
    if (!fields[JOB].len)
        return "it has no job_name";
    if (!(instances >= 0 && instances < 1e7))
        return "inst_num is no number of instances";
    if (fields[PLAN_GPU].len && !(gpus >= 0 && gpus <= 1e6))
        return "plan_gpu is no number of GPUs";
    return NULL;
}

static struct pai_tasks as_task(const str *fields, double instances, double gpus)
{
    struct pai_tasks task = {.job = hash_stable(fields[JOB].at, fields[JOB].len),
                             .start_s = figure(fields[START]),
                             .end_s = figure(fields[END]),
                             .has_ps = is_server(fields[TASK]),
                             .name_length = (uint8_t)(fields[JOB].len < PAI_NAME ? fields[JOB].len : PAI_NAME)};
    if (task.has_ps || !(gpus > 0))
        return task;
    task.instances = (float)instances;
    task.cnodes = (float)(instances * fmax(1, gpus));
    task.most_gpus = (float)gpus;
    return task;
}

/* Texts are those of the first task with a GPU: of others they are not looked at. */
static void take_texts(const struct pai *pai, const str *fields, struct intern *texts, struct pai_tasks *task)
{
    task->gpu = intern_id(texts, fields[GPU_TYPE]);
    task->group = pai->task_group < TASK_COLUMNS ? intern_id(texts, fields[pai->task_group]) : 0;
}

/* A task of the job of the last one is added to it, so that half of them need not be put aside and looked up. */
static const char *read_task(const void *context, const str *fields, struct pai_block *block)
{
    const double instances = figure(fields[INSTANCES]), gpus = figure(fields[PLAN_GPU]);
    const char *const wrong = wrong_with_task(fields, instances, gpus);
    if (wrong)
        return wrong;
    struct pai_tasks task = as_task(fields, instances, gpus / 100); /* a GPU is planned as 100 */
    struct named_tasks *last = block->records;
    last = block->count && last[block->count - 1].tasks.job == task.job ? &last[block->count - 1] : NULL;
    if (task.cnodes > 0 && !(last && last->tasks.cnodes > 0))
        take_texts(context, fields, block->texts, &task);
    if (last)
        pai_tasks_add(&last->tasks, &task);
    else
        *(struct named_tasks *)pai_block_add(block, sizeof *last) = (struct named_tasks){task, fields[JOB].at};
    return NULL;
}

static const char *read_instance(const void *context, const str *fields, struct pai_block *block)
{
    (void)context;
    const str job = fields[INSTANCE_JOB], machine = fields[INSTANCE_MACHINE];
    if (machine.len)
        *(struct pai_instance *)pai_block_add(block, sizeof(struct pai_instance)) =
            (struct pai_instance){hash_stable(job.at, job.len), hash_stable(machine.at, machine.len) | 1};
    return NULL;
}

static const char *read_group(const void *context, const str *fields, struct pai_block *block)
{
    const struct pai *const pai = context;
    *(struct job_group *)pai_block_add(block, sizeof(struct job_group)) =
        (struct job_group){hash_stable(fields[0].at, fields[0].len), intern_id(block->texts, fields[pai->job_group])};
    return NULL;
}

/* ---- parting ---- */

static struct part *part_of(struct pai *pai, uint64_t job)
{
    return &pai->parts[job % pai->part_count];
}

static bool put(struct spool **spool, const void *bytes, size_t count, struct steptime_error *err)
{
    if (!*spool && !(*spool = spool_new(err)))
        return false;
    return spool_add(*spool, (str){bytes, count}, err);
}

static bool put_tasks(struct pai *pai, const struct pai_tasks *tasks, const char *name, struct steptime_error *err)
{
    struct part *part = part_of(pai, tasks->job);
    if (part == pai->parts) {
        pai_jobs_tasks(pai->jobs, tasks, name);
        return true;
    }
    struct kept_tasks kept = {.tasks = *tasks};
    memcpy(kept.name, name, tasks->name_length);
    return put(&part->tasks, &kept, sizeof kept.tasks + tasks->name_length, err);
}

static bool put_instance(struct pai *pai, const struct pai_instance *instance, struct steptime_error *err)
{
    struct part *part = part_of(pai, instance->job);
    if (part != pai->parts)
        return put(&part->instances, instance, sizeof *instance, err);
    pai_jobs_instance(pai->jobs, instance);
    return true;
}

static bool put_group(struct pai *pai, const struct job_group *group, struct steptime_error *err)
{
    struct part *part = part_of(pai, group->job);
    if (part != pai->parts)
        return put(&part->groups, group, sizeof *group, err);
    pai_jobs_group(pai->jobs, group->job, group->group);
    return true;
}

/* Where the texts of a block stand among all. */
static uint32_t *places_of(struct pai *pai, const struct intern *texts)
{
    const uint32_t count = intern_count(texts);
    uint32_t *const place = mem_alloc(count * sizeof *place);
    for (uint32_t id = 0; id < count; id++)
        place[id] = text_id(pai, intern_text(texts, id));
    return place;
}

static bool join_tasks(void *context, const struct pai_block *block, struct steptime_error *err)
{
    struct pai *const pai = context;
    uint32_t *const place = places_of(pai, block->texts);
    struct named_tasks *const rows = block->records;
    bool good = true;
    for (size_t i = 0; good && i < block->count; i++) {
        if (i + AHEAD < block->count)
            pai_jobs_expect(pai->jobs, rows[i + AHEAD].tasks.job);
        rows[i].tasks.gpu = place[rows[i].tasks.gpu];
        rows[i].tasks.group = place[rows[i].tasks.group];
        good = put_tasks(pai, &rows[i].tasks, rows[i].name, err);
    }
    mem_free(place);
    return good;
}

static bool join_instances(void *context, const struct pai_block *block, struct steptime_error *err)
{
    const struct pai_instance *const rows = block->records;
    bool good = true;
    for (size_t i = 0; good && i < block->count; i++)
        good = put_instance(context, &rows[i], err);
    return good;
}

static bool join_groups(void *context, const struct pai_block *block, struct steptime_error *err)
{
    uint32_t *const place = places_of(context, block->texts);
    const struct job_group *const rows = block->records;
    bool good = true;
    for (size_t i = 0; good && i < block->count; i++)
        good = put_group(context, &(struct job_group){rows[i].job, place[rows[i].group]}, err);
    mem_free(place);
    return good;
}

/* ---- the stream ---- */

static bool task_table_of(const char *path, char *found, size_t room)
{
    if (path_is_folder(path))
        return pai_table_find(path, "pai_task_table", found, room);
    const char *slash = strrchr(path, '/');
    format_text(found, room, "%s", path);
    return str_starts(str_of(slash ? slash + 1 : path), S("pai_task_table"));
}

static bool fits(const char *path)
{
    char found[1024];
    return task_table_of(path, found, sizeof found);
}

static void release_part(struct part *part)
{
    spool_free(part->tasks);
    spool_free(part->instances);
    spool_free(part->groups);
    *part = (struct part){0};
}

static void release(struct pai *pai)
{
    for (unsigned i = 0; i < pai->part_count; i++)
        release_part(&pai->parts[i]);
    pai_jobs_free(pai->jobs);
    intern_free(pai->texts);
    mem_free(pai);
}

static uint32_t index_of(str word, const char *const *columns, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && !str_eq(word, str_of(columns[i])))
        i++;
    return i < count ? i : UINT32_MAX;
}

static bool find_group(struct pai *pai, str group_by, bool has_jobs, struct steptime_error *err)
{
    pai->task_group = pai->job_group = UINT32_MAX;
    if (!group_by.len)
        return true;
    pai->task_group = index_of(group_by, task_columns, TASK_COLUMNS);
    if (pai->task_group == UINT32_MAX && has_jobs)
        pai->job_group = index_of(group_by, job_columns, OF_JOB_COLUMNS);
    return pai->task_group != UINT32_MAX || pai->job_group != UINT32_MAX ||
           fail(err, STEPTIME_USAGE, "no column '%.*s' to group by in the tables of tasks%s", (int)group_by.len,
                group_by.at, has_jobs ? " and jobs" : "; a table of jobs beside it would have user");
}

static bool take_all(struct pai *pai, unsigned threads, struct steptime_error *err)
{
    const struct pai_table tasks = {pai->tasks, task_columns, TASK_COLUMNS},
                           instances = {pai->instances, instance_columns, INSTANCE_COLUMNS},
                           of_jobs = {pai->of_jobs, job_columns, OF_JOB_COLUMNS};
    const uint64_t parts = pai_table_bytes(pai->tasks) / PART_BYTES + 1;
    pai->part_count = parts < MOST_PARTS ? (unsigned)parts : MOST_PARTS;
    pai->jobs = pai_jobs_new();
    return pai_table_read(&tasks, threads, &(struct pai_visitor){pai, read_task, join_tasks}, &pai->dropped, err) &&
           (!pai->knows_machines ||
            pai_table_read(&instances, threads, &(struct pai_visitor){pai, read_instance, join_instances},
                           &pai->dropped, err)) &&
           (pai->job_group == UINT32_MAX ||
            pai_table_read(&of_jobs, threads, &(struct pai_visitor){pai, read_group, join_groups}, &pai->dropped, err));
}

static void *open_pai(const char *path, str group_by, unsigned threads, struct steptime_error *err)
{
    struct pai *pai = mem_zeroed(sizeof *pai);
    const bool folder = path_is_folder(path);
    task_table_of(path, pai->tasks, sizeof pai->tasks);
    pai->knows_machines = folder && pai_table_find(path, "pai_instance_table", pai->instances, sizeof pai->instances);
    const bool has_jobs = folder && pai_table_find(path, "pai_job_table", pai->of_jobs, sizeof pai->of_jobs);
    pai->texts = intern_new();
    if (find_group(pai, group_by, has_jobs, err) && take_all(pai, threads, err))
        return pai;
    release(pai);
    return NULL;
}

static void rewind_part(struct part *part)
{
    struct spool *const spools[] = {part->tasks, part->instances, part->groups};
    for (size_t i = 0; i < sizeof spools / sizeof *spools; i++)
        if (spools[i])
            spool_again(spools[i]);
}

static bool more(struct spool *spool, void *row, size_t bytes)
{
    return spool && spool_read(spool, row, bytes);
}

static bool more_tasks(struct spool *spool, struct kept_tasks *kept)
{
    return more(spool, &kept->tasks, sizeof kept->tasks) && more(spool, kept->name, kept->tasks.name_length);
}

/* A few at a time, so that their places in the index are fetched while others are added. */
static void load_tasks(struct pai_jobs *jobs, struct spool *spool)
{
    struct kept_tasks kept[AHEAD];
    size_t count;
    do {
        for (count = 0; count < AHEAD && more_tasks(spool, &kept[count]); count++)
            pai_jobs_expect(jobs, kept[count].tasks.job);
        for (size_t i = 0; i < count; i++)
            pai_jobs_tasks(jobs, &kept[i].tasks, kept[i].name);
    } while (count == AHEAD);
}

/* The jobs of the next part in place of those of the last; false after the last part. */
static bool next_part(struct pai *pai)
{
    if (pai->part + 1 >= pai->part_count)
        return false;
    struct part *part = &pai->parts[++pai->part];
    struct pai_instance instance;
    struct job_group group;
    pai_jobs_free(pai->jobs);
    pai->jobs = pai_jobs_new();
    rewind_part(part);
    load_tasks(pai->jobs, part->tasks);
    while (more(part->instances, &instance, sizeof instance))
        pai_jobs_instance(pai->jobs, &instance);
    while (more(part->groups, &group, sizeof group))
        pai_jobs_group(pai->jobs, group.job, group.group);
    release_part(part);
    return true;
}

static bool next_pai(void *stream, struct job *job)
{
    struct pai *pai = stream;
    struct pai_numbers numbers;
    while (!pai_jobs_next(pai->jobs, job, &numbers))
        if (!next_part(pai))
            return false;
    job->gpu = intern_text(pai->texts, numbers.gpu);
    job->group = intern_text(pai->texts, numbers.group);
    return true;
}

static const struct import_drops *dropped(const void *stream)
{
    return &((const struct pai *)stream)->dropped;
}

static bool close_pai(void *stream, struct steptime_error *err)
{
    (void)err; /* tables that broke off were refused when they were read */
    release(stream);
    return true;
}

const struct import_kind import_pai = {S("pai-2020"), fits, open_pai, next_pai, dropped, close_pai};
