/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "import_stream.h"

static const struct {
    str word;
    enum message_pattern pattern;
} words[] = {
    {S("all_reduce"), PATTERN_REDUCED}, {S("allreduce"), PATTERN_REDUCED},     {S("all_gather"), PATTERN_PARTED},
    {S("allgather"), PATTERN_PARTED},   {S("reduce_scatter"), PATTERN_PARTED}, {S("reducescatter"), PATTERN_PARTED},
    {S("all_to_all"), PATTERN_PARTED},  {S("alltoall"), PATTERN_PARTED},       {S("broadcast"), PATTERN_PASSED},
    {S("isend"), PATTERN_PASSED},       {S("irecv"), PATTERN_PASSED},          {S("reduce"), PATTERN_PASSED},
};

enum message_pattern schedule_pattern(str word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_starts_nocase(word, words[i].word))
            return words[i].pattern;
    return PATTERN_NONE;
}

/* Of a message of one byte, sent and received. A group whose size is not told is as large as groups can be. */
static double traffic_a_byte(enum message_pattern pattern, double ranks)
{
    const double elsewhere = ranks > 0 ? (ranks - 1) / ranks : 1;
    switch (pattern) {
    case PATTERN_REDUCED:
        return 4 * elsewhere;
    case PATTERN_PARTED:
        return 2 * elsewhere;
    case PATTERN_PASSED:
        return ranks == 1 ? 0 : 2;
    default:
        return 0;
    }
}

void schedule_add(struct collective_schedule *schedule, enum schedule_group group, enum message_pattern pattern,
                  double ranks, double bytes, double count, double ms)
{
    struct schedule_traffic *traffic = &schedule->of[group];
    traffic->ranks = fmax(traffic->ranks, ranks);
    traffic->calls += count;
    traffic->bytes += count * bytes * traffic_a_byte(pattern, ranks);
    traffic->largest = fmax(traffic->largest, bytes);
    if (!isnan(ms))
        traffic->ms = (isnan(traffic->ms) ? 0 : traffic->ms) + ms;
}

static void mean_of_steps(struct collective_schedule *schedule)
{
    if (schedule->steps < 1)
        schedule->steps = 1;
    for (int group = 0; group < SCHEDULE_GROUPS; group++) {
        schedule->of[group].calls /= schedule->steps;
        schedule->of[group].bytes /= schedule->steps;
        schedule->of[group].ms /= schedule->steps;
    }
}

bool schedule_read(const char *path, struct collective_schedule *schedule, struct steptime_error *err)
{
    char room[IMPORT_SNIFFED];
    const str begin = import_sniff(path, room);
    *schedule = (struct collective_schedule){.compute_ms = NAN, .step_ms = NAN, .micro_batches = 1};
    for (int group = 0; group < SCHEDULE_GROUPS; group++)
        schedule->of[group].ms = NAN;
    bool good;
    if (schedule_is_aicb(begin))
        good = schedule_read_aicb(path, schedule, err);
    else if (schedule_is_simai(begin))
        good = schedule_read_simai(path, schedule, err);
    else
        good = fail_at(err, STEPTIME_INPUT, str_of(path), -1, "no schedule of collectives");
    if (good)
        mean_of_steps(schedule);
    return good;
}

/* ---- as a job ---- */

static double parallel(const struct collective_schedule *schedule, enum schedule_group group)
{
    return fmax(1, schedule->of[group].ranks);
}

static enum architecture architecture_of(const struct collective_schedule *schedule)
{
    if (schedule->of[GROUP_EXPERT].ranks > 1 || schedule->of[GROUP_EXPERT].bytes > 0)
        return ARCHITECTURE_EXPERT_PARALLEL;
    if (schedule->of[GROUP_PIPELINE].ranks > 1)
        return ARCHITECTURE_PIPELINE_PARALLEL;
    if (schedule->of[GROUP_TENSOR].ranks > 1)
        return ARCHITECTURE_TENSOR_PARALLEL;
    if (schedule->gathers_forward)
        return ARCHITECTURE_FSDP;
    return schedule->scatters ? ARCHITECTURE_ZERO1 : ARCHITECTURE_DATA_PARALLEL;
}

/* Of all groups; NaN where none was measured. */
static double communication_ms(const struct collective_schedule *schedule)
{
    double ms = NAN;
    for (int group = 0; group < SCHEDULE_GROUPS; group++)
        if (!isnan(schedule->of[group].ms))
            ms = (isnan(ms) ? 0 : ms) + schedule->of[group].ms;
    return ms;
}

struct job job_of_schedule(const struct collective_schedule *schedule, str name)
{
    struct job job = import_no_job();
    job.name = name;
    job.architecture = architecture_of(schedule);
    job.field[JOB_CNODES] = schedule->ranks > 0 ? schedule->ranks : NAN;
    job.field[JOB_WEIGHT_BYTES] = schedule->of[GROUP_DATA].bytes + schedule->of[GROUP_DATA_OF_EXPERTS].bytes;
    job.field[JOB_TENSOR_BYTES] = schedule->of[GROUP_TENSOR].bytes;
    job.field[JOB_PIPELINE_BYTES] = schedule->of[GROUP_PIPELINE].bytes;
    job.field[JOB_EXPERT_BYTES] = schedule->of[GROUP_EXPERT].bytes;
    job.field[JOB_TENSOR_PARALLEL] = parallel(schedule, GROUP_TENSOR);
    job.field[JOB_PIPELINE_PARALLEL] = parallel(schedule, GROUP_PIPELINE);
    job.field[JOB_EXPERT_PARALLEL] = parallel(schedule, GROUP_EXPERT);
    job.field[JOB_MEASURED_INPUT_MS] = 0; /* tokens: a few kilobytes */
    job.field[JOB_MICRO_BATCHES] = schedule->micro_batches;
    job.field[JOB_MEASURED_COMPUTE_MS] = schedule->compute_ms;
    job.field[JOB_MEASURED_WEIGHT_MS] = communication_ms(schedule);
    job.field[JOB_MEASURED_MS] = schedule->step_ms;
    return job;
}

/* ---- as a stream of one job ---- */

struct one_job {
    struct collective_schedule schedule;
    struct arena arena;
    str name;
    bool given;
};

/* The file's name without folder and endings. */
static str name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    str name = str_of(slash ? slash + 1 : path);
    for (size_t i = 1; i < name.len; i++)
        if (name.at[i] == '.' && (str_eq(str_from(name, i), S(".csv")) || str_eq(str_from(name, i), S(".txt")) ||
                                  str_eq(str_from(name, i), S(".csv.gz")) || str_eq(str_from(name, i), S(".txt.gz"))))
            name.len = i;
    return name;
}

static void *open_one(const char *path, str group_by, unsigned threads, struct steptime_error *err)
{
    (void)threads;
    struct one_job *one = mem_zeroed(sizeof *one);
    const bool named = !group_by.len || fail_at(err, STEPTIME_USAGE, str_of(path), -1,
                                                "a schedule is one job: there is no column '%.*s' to group by",
                                                (int)group_by.len, group_by.at);
    if (named && schedule_read(path, &one->schedule, err)) {
        one->name = str_copy(&one->arena, name_of(path));
        return one;
    }
    mem_free(one);
    return NULL;
}

static bool next_one(void *stream, struct job *job)
{
    struct one_job *one = stream;
    if (one->given)
        return false;
    one->given = true;
    *job = job_of_schedule(&one->schedule, one->name);
    return true;
}

static const struct import_drops *dropped_of_one(const void *stream)
{
    return &((const struct one_job *)stream)->schedule.dropped;
}

static bool close_one(void *stream, struct steptime_error *err)
{
    struct one_job *one = stream;
    (void)err;
    arena_free(&one->arena);
    mem_free(one);
    return true;
}

static bool aicb_fits(const char *path)
{
    char room[IMPORT_SNIFFED];
    return schedule_is_aicb(import_sniff(path, room));
}

static bool simai_fits(const char *path)
{
    char room[IMPORT_SNIFFED];
    return schedule_is_simai(import_sniff(path, room));
}

const struct import_kind import_aicb = {S("aicb"), aicb_fits, open_one, next_one, dropped_of_one, close_one};
const struct import_kind import_simai = {S("simai"), simai_fits, open_one, next_one, dropped_of_one, close_one};
