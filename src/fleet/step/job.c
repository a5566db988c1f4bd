/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include "base/format.h"
#include "architecture.h"
#include "layout.h"

/* ---- words ---- */

/* Other names of an architecture, spelled as same_word compares. */
static const struct spelling {
    const char *word;
    enum architecture architecture;
} spellings[] = {
    {"single", ARCHITECTURE_1W1G},
    {"1worker1gpu", ARCHITECTURE_1W1G},
    {"1workerngpu", ARCHITECTURE_1WNG},
    {"ps", ARCHITECTURE_PS_WORKER},
    {"parameterserver", ARCHITECTURE_PS_WORKER},
    {"arl", ARCHITECTURE_ALLREDUCE_LOCAL},
    {"arc", ARCHITECTURE_ALLREDUCE_CLUSTER},
    {"dp", ARCHITECTURE_DATA_PARALLEL},
    {"ddp", ARCHITECTURE_DATA_PARALLEL},
    {"horovod", ARCHITECTURE_DATA_PARALLEL},
    {"zero3", ARCHITECTURE_FSDP},
    {"fullysharded", ARCHITECTURE_FSDP},
    {"tp", ARCHITECTURE_TENSOR_PARALLEL},
    {"pp", ARCHITECTURE_PIPELINE_PARALLEL},
    {"ep", ARCHITECTURE_EXPERT_PARALLEL},
};

static bool separates(char c)
{
    return c == '-' || c == '_' || c == '/' || c == ' ';
}

/* The next character that counts, in small letters; 0 at the end. */
static char next(str *text)
{
    while (text->len && separates(*text->at))
        *text = str_from(*text, 1);
    const char c = text->len ? char_lower(*text->at) : 0;
    *text = str_from(*text, 1);
    return c;
}

/* "PS/Worker", "ps_worker" and "psworker" are one. */
static bool same_word(str a, str b)
{
    for (;;) {
        const char c = next(&a);
        if (c != next(&b))
            return false;
        if (!c)
            return true;
    }
}

bool architecture_of_word(str word, enum architecture *architecture)
{
    for (int i = 0; i < ARCHITECTURES; i++)
        if (same_word(word, str_of(architecture_rows[i].word))) {
            *architecture = (enum architecture)i;
            return true;
        }
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (same_word(word, str_of(spellings[i].word))) {
            *architecture = spellings[i].architecture;
            return true;
        }
    return false;
}

str architecture_word(enum architecture architecture)
{
    return str_of(architecture_rows[architecture].word);
}

/* ---- fields ---- */

/* What a field is called, and the least and most that one can be. */
static const struct field {
    const char *word;
    double least, most;
} fields[JOB_FIELDS] = {
    [JOB_CNODES] = {"cnodes", 1, 1e7},
    [JOB_BATCH] = {"batch", 0, 1e12},
    [JOB_INPUT_BYTES] = {"input_bytes", 0, 1e16},
    [JOB_FLOPS] = {"flops", 0, 1e22},
    [JOB_MEMORY_BYTES] = {"memory_bytes", 0, 1e18},
    [JOB_WEIGHT_BYTES] = {"weight_bytes", 0, 1e16},
    [JOB_DENSE_WEIGHT_BYTES] = {"dense_weight_bytes", 0, 1e18},
    [JOB_EMBEDDING_WEIGHT_BYTES] = {"embedding_weight_bytes", 0, 1e18},
    [JOB_MEASURED_MS] = {"measured_ms", 0, 1e10},
    [JOB_MEASURED_INPUT_MS] = {"measured_input_ms", 0, 1e10},
    [JOB_MEASURED_COMPUTE_MS] = {"measured_compute_ms", 0, 1e10},
    [JOB_MEASURED_WEIGHT_MS] = {"measured_weight_ms", 0, 1e10},
    [JOB_ALONE_MS] = {"alone_ms", 0, 1e10},
    [JOB_DURATION_S] = {"duration_s", 0, 1e10},
    [JOB_PRODUCTIVE_S] = {"productive_s", 0, 1e10},
    [JOB_STEPS] = {"steps", 0, 1e12},
    [JOB_GPUS_PER_SERVER] = {"gpus_per_server", 1, 1e4},
    [JOB_SERVERS] = {"servers", 1, 1e7},
    [JOB_TENSOR_PARALLEL] = {"tensor_parallel", 1, 1e6},
    [JOB_PIPELINE_PARALLEL] = {"pipeline_parallel", 1, 1e6},
    [JOB_EXPERT_PARALLEL] = {"expert_parallel", 1, 1e6},
    [JOB_MICRO_BATCHES] = {"micro_batches", 1, 1e7},
    [JOB_TENSOR_BYTES] = {"tensor_bytes", 0, 1e16},
    [JOB_PIPELINE_BYTES] = {"pipeline_bytes", 0, 1e16},
    [JOB_EXPERT_BYTES] = {"expert_bytes", 0, 1e16},
    [JOB_WEIGHT_COPIES] = {"weight_copies", 1, 100},
};

str job_field_word(enum job_field field)
{
    return str_of(fields[field].word);
}

/* ---- what cannot be ---- */

static _Thread_local char problem[160];

static const char *problem_of_value(enum job_field field, double value)
{
    const struct field *of = &fields[field];
    if (value < 0)
        format_text(problem, sizeof problem, "%s is negative", of->word);
    else if (value < of->least)
        format_text(problem, sizeof problem, "%s is below %g", of->word, of->least);
    else
        format_text(problem, sizeof problem, "%s is %g, which cannot be", of->word, value);
    return problem;
}

static const char *missing(enum job_field field, enum architecture architecture)
{
    format_text(problem, sizeof problem, "%s is missing for %s", fields[field].word,
                architecture_rows[architecture].word);
    return problem;
}

/* The first field that the equations need and the job lacks; JOB_FIELDS: none. */
static enum job_field lacking(const struct job *job)
{
    static const enum job_field always[] = {JOB_INPUT_BYTES, JOB_FLOPS, JOB_MEMORY_BYTES};
    if (isnan(job->field[JOB_CNODES]) && job->architecture != ARCHITECTURE_1W1G)
        return JOB_CNODES;
    for (size_t i = 0; i < sizeof always / sizeof *always && isnan(job->field[JOB_ALONE_MS]); i++)
        if (isnan(job->field[always[i]]))
            return always[i];
    return layout_lacks(job);
}

const char *job_problem(const struct job *job)
{
    for (int i = 0; i < JOB_FIELDS; i++)
        if (job->field[i] < fields[i].least || job->field[i] > fields[i].most)
            return problem_of_value((enum job_field)i, job->field[i]);
    if (job->field[JOB_PRODUCTIVE_S] > job->field[JOB_DURATION_S])
        return "productive_s is more than duration_s";
    if (job->field[JOB_STEPS] * job->field[JOB_MEASURED_MS] > 1001 * job->field[JOB_DURATION_S])
        return "steps x measured_ms is more than duration_s";
    if (job->field[JOB_SERVERS] > job_figure(job, JOB_CNODES, 1))
        return "servers is more than cnodes";
    if (job->field[JOB_CNODES] > floor(job->field[JOB_CNODES]))
        return "cnodes is no whole number";
    const enum job_field lacks = !job->lacks_amounts             ? lacking(job)
                                 : isnan(job->field[JOB_CNODES]) ? JOB_CNODES
                                                                 : JOB_FIELDS;
    if (lacks != JOB_FIELDS)
        return missing(lacks, job->architecture);
    if (job->architecture == ARCHITECTURE_1W1G && job->field[JOB_CNODES] > 1)
        return "cnodes is more than 1 for 1w1g";
    return layout_fits(job) ? NULL : "cnodes is less than tensor_parallel x pipeline_parallel, or than expert_parallel";
}
