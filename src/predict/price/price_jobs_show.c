/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "price_exchange.h"

static const struct column_spec job_columns[] = {
    {"ranks", "ranks", UNIT_COUNT, 0, "of the job"},
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "the device of each"},
    {"step_us", "a step", UNIT_US, 0, "what a step is predicted to take"},
    {"step_us_low", "at least", UNIT_US, 0, "lower end of the interval of step_us"},
    {"step_us_high", "at most", UNIT_US, 0, "upper end of it"},
    {"communication_us", "communication", UNIT_US, 0, "the times of all collectives of the step, one after the other"},
    {"exposed_us", "exposed", UNIT_US, 0, "by so much the step is shorter where communication takes no time"},
    {"exposed_us_low", "exposed at least", UNIT_US, COLUMN_DETAIL,
     "lower end of the interval of exposed_us, by what the collectives' times may be off"},
    {"exposed_us_high", "exposed at most", UNIT_US, COLUMN_DETAIL, "upper end of it"},
    {"waiting_us", "for stages", UNIT_US, COLUMN_DETAIL,
     "of a pipeline: what the first stage waits for the others, which are taken to take as long; part of exposed_us"},
    {"efficiency", "efficiency", UNIT_RATIO, 0,
     "how much of the fewest ranks' pace a rank keeps where each does as much as before: their step / this step"},
    {"peak_bytes", "memory of a rank", UNIT_BYTES, 0, "what the first rank holds on its device at most"},
    {"fits", "fits", UNIT_NONE, 0, "as in the table of devices, of the first rank: yes, may not, no"},
    {"why", "no answer", UNIT_NONE, COLUMN_DETAIL, "why there is no answer"},
    {0},
};

static const struct column_spec collective_columns[] = {
    {"kind", "collective", UNIT_NONE, 0, "all_reduce, all_gather, ..."},
    {"group", "ranks of the group", UNIT_COUNT, 0, "ranks that take part"},
    {"near", "on the server", UNIT_COUNT, 0, "of these, ranks of the first one's server"},
    {"times", "times", UNIT_COUNT, COLUMN_SUM, "in a step"},
    {"bytes", "message", UNIT_BYTES, 0, "the full message: the output of an all-gather, the input of the others"},
    {"us", "each", UNIT_US, 0, "its time by the models of collectives"},
    {"total_us", "all", UNIT_US, COLUMN_PART, "times x us"},
    {"basis", "known by", UNIT_NONE, 0, "how sure that is: measured, calibrated, carried, analytic or bytes"},
    {"model", "model", UNIT_NONE, COLUMN_DETAIL, "which model"},
    {"from", "of", UNIT_NONE, COLUMN_DETAIL, "which measurements stand behind it"},
    {0},
};

static struct cell known(double us)
{
    return us >= 0 ? cell_real(us) : cell_null();
}

static const struct price_job *fewest(const struct price_job *jobs, uint32_t count, const struct price_job *job)
{
    const struct price_job *found = job;
    for (uint32_t i = 0; i < count; i++)
        if (!jobs[i].why.len && str_eq(jobs[i].device, job->device) && jobs[i].ranks < found->ranks)
            found = &jobs[i];
    return found;
}

static void put_times(struct table *table, const struct price_job *jobs, uint32_t count, const struct price_job *job)
{
    const struct price_exchange *const e = &job->exchange;
    table_real(table, job->step_us);
    table_cell(table, known(job->step_low_us));
    table_cell(table, known(job->step_high_us));
    table_real(table, e->us);
    table_real(table, e->exposed_us);
    table_cell(table, known(e->times ? e->exposed_low_us : 0));
    table_cell(table, known(e->times ? e->exposed_high_us : 0));
    table_real(table, e->waiting_us);
    table_cell(table, cell_ratio(fewest(jobs, count, job)->step_us, job->step_us));
}

static void put_job(struct table *table, const struct price_job *jobs, uint32_t count, const struct price_job *job)
{
    enum { TIMES = 9 };
    table_row(table);
    table_int(table, job->ranks);
    table_text(table, job->device);
    if (!job->why.len)
        put_times(table, jobs, count, job);
    for (int i = 0; job->why.len && i < TIMES; i++)
        table_null(table);
    table_cell(table, cell_int_if(job->peak_bytes > 0, job->peak_bytes));
    table_cell(table, cell_text_or_null(str_of(fit_word(job->fit.verdict))));
    table_cell(table, job->why.len ? cell_text(job->why) : cell_null());
}

static void put_collectives(struct section *section, const struct price_exchange *exchange)
{
    enum { MOST = 40 };
    struct table *const table = section_table(section, "collectives", "Collectives of a step");
    table_columns(table, collective_columns);
    for (uint32_t i = 0; i < exchange->count && i < MOST; i++) {
        const struct price_collective *const c = &exchange->at[i];
        table_row(table);
        table_text(table, collective_kind_word((enum collective_kind)(c->kernel.collective.kind - 1)));
        table_int(table, c->kernel.collective.ranks);
        table_int(table, c->kernel.collective.server_ranks);
        table_int(table, c->times);
        table_int(table, c->kernel.collective.bytes);
        table_real(table, c->us / c->times);
        table_real(table, c->us);
        table_text(table, estimate_basis_word(c->basis));
        table_cell(table, cell_text_or_null(c->model));
        table_cell(table, cell_text_or_null(c->from));
    }
    if (exchange->count > MOST)
        section_text(section, S("Of its kinds and sizes of collectives the 40 that take longest are shown."));
}

/* Of each device once, where there is more than one rank. */
static void tell_servers(const struct price_job *jobs, uint32_t count, struct section *section, struct arena *arena)
{
    for (uint32_t i = 0; i < count; i++) {
        bool told = jobs[i].ranks < 2;
        for (uint32_t k = 0; k < i && !told; k++)
            told = jobs[k].ranks > 1 && str_eq(jobs[k].device, jobs[i].device);
        const str remark = told ? S("") : hardware_server_remark(jobs[i].hardware, arena);
        if (remark.len)
            section_text(section, remark);
    }
}

void price_jobs_show(const struct price_job *jobs, uint32_t count, struct report *report)
{
    struct section *const section = report_section(report, "ranks", "Ranks");
    struct table *const table = section_table(section, "ranks", "Jobs");
    const struct price_job *last = NULL;
    bool waits = false;
    table_columns(table, job_columns);
    for (uint32_t i = 0; i < count; i++) {
        put_job(table, jobs, count, &jobs[i]);
        waits |= jobs[i].exchange.waiting_us > 0;
        last = jobs[i].why.len || (last && last->ranks >= jobs[i].ranks) ? last : &jobs[i];
    }
    section_text(section, S("The first rank was run; the others are taken to come to each collective when it does, and "
                            "their devices to be like its own."));
    tell_servers(jobs, count, section, report_arena(report));
    if (waits)
        section_text(section, S("Stages of the pipeline are taken to take as long as the first."));
    if (last && last->exchange.count) {
        section_text(section, str_printf(report_arena(report), "Collectives are those of %lld ranks on %.*s.",
                                         (long long)last->ranks, (int)last->device.len, last->device.at));
        put_collectives(section, &last->exchange);
    } else {
        section_text(section, S("Nothing is sent in a step."));
    }
}
