/* SPDX-License-Identifier: Apache-2.0 */
#include "price_ranks.h"

#include <string.h>

#include "base/error.h"
#include "cli/program/option_list.h"

static const int64_t most_ranks = 1 << 20;

bool price_ranks_read(const struct call *call, struct arena *arena, struct price_ranks *ranks,
                      struct steptime_error *err)
{
    struct option_list list;
    *ranks = (struct price_ranks){0};
    if (!option_list_read(call, "ranks", arena, &list, err))
        return false;
    if (list.count > PRICE_RANKS_MOST)
        return fail(err, STEPTIME_USAGE, "--ranks: more than %d jobs at once", PRICE_RANKS_MOST);
    for (uint32_t i = 0; i < list.count; i++) {
        int64_t *const count = &ranks->at[ranks->count++];
        if (!str_int(list.at[i], count) || *count < 1 || *count > most_ranks)
            return fail(err, STEPTIME_USAGE, "--ranks: '%.*s' is no number of ranks", (int)list.at[i].len,
                        list.at[i].at);
    }
    return true;
}

bool price_ranks_script(const char *const *argv, struct steptime_error *err)
{
    static const char *const launchers[] = {"torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec", "srun"};
    const char *name = strrchr(argv[0], '/');
    name = name ? name + 1 : argv[0];
    bool launches = argv[1] && argv[2] && !strcmp(argv[1], "-m") &&
                    (!strcmp(argv[2], "torch.distributed.run") || !strcmp(argv[2], "torch.distributed.launch"));
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        launches |= !strcmp(name, launchers[i]);
    return !launches ||
           fail(err, STEPTIME_USAGE,
                "%s starts each rank itself: name the script alone, 'python train.py'; --ranks stands for it", name);
}

static void add_job(struct price_job *job, const struct predict_source *source, const struct predict_asked *asked,
                    const struct price *price, struct arena *arena)
{
    struct steptime_error err = {.offset = -1};
    struct predict_asked on = *asked;
    on.plan.hardware = &price->hardware;
    on.only_steps = true;
    job->step_us = price->step.walked.step_us;
    job->step_low_us = price->step.range.low_us;
    job->step_high_us = price->step.range.high_us;
    if (!price_exchange_of(source, &on, job->step_us, arena, &job->exchange, &err))
        job->why = error_line(arena, &err);
}

void price_ranks_add(struct price_ranks *ranks, int64_t count, const struct predict_source *source,
                     const struct price_asked *asked, const struct prices *prices, struct arena *arena)
{
    if (!ranks->jobs)
        ranks->jobs = arena_array(arena, (size_t)ranks->count * prices->count + 1, sizeof *ranks->jobs);
    for (uint32_t i = 0; i < prices->count; i++) {
        const struct price *const price = &prices->at[i];
        struct price_job *const job = &ranks->jobs[ranks->job_count++];
        *job = (struct price_job){.ranks = count,
                                  .device = price->hardware.name,
                                  .why = price->why,
                                  .peak_bytes = prices->step->peak.held,
                                  .fit = price->fit,
                                  .hardware = &price->hardware};
        if (!price->why.len)
            add_job(job, source, &asked->predict, price, arena);
    }
}
