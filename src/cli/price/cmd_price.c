/* SPDX-License-Identifier: Apache-2.0 */
/* What a step of a script would take and cost on devices that are not here. */
#include "base/error.h"
#include "cli/program/command.h"
#include "cli/program/hardware_option.h"
#include "cli/program/output.h"
#include "cli/run/training.h"
#include "price_asked.h"
#include "price_dry_show.h"
#include "price_ranks.h"
#include "read/read.h"

enum { USUAL_STEPS = 3, MOST_STEPS = 1000, USUAL_LIMIT_S = 600, MOST_LIMIT_S = 86400 };

struct pricing {
    const struct call *call;
    struct arena arena;
    struct price_asked asked;
    struct dry_result dry;
    struct program_texts *texts;
    struct predict_source source;
    struct report *report;
    struct price_ranks ranks;
    struct prices prices;
};

/* ---- the dry run ---- */

static bool run_dry(struct pricing *p, int64_t ranks, struct steptime_error *err)
{
    int64_t limit_s;
    struct dry_options options = {.device = price_device(&p->asked, &p->arena)};
    options.argv = training_words(p->call, &p->arena, err);
    if (!options.argv || (ranks && !price_ranks_script(options.argv, err)) ||
        !call_count(p->call, "dry-steps", 1, MOST_STEPS, USUAL_STEPS, &options.steps, err) ||
        !call_count(p->call, "limit", 1, MOST_LIMIT_S, USUAL_LIMIT_S, &limit_s, err))
        return false;
    options.ranks = ranks;
    options.server = price_server(&p->asked);
    options.limit_ns = limit_s * 1000000000;
    return dry_run(&options, &p->arena, &p->dry, err);
}

/* ---- what the script does ---- */

static bool take_step(struct pricing *p, struct steptime_error *err)
{
    struct input input = {0};
    struct arena scratch = {0};
    if (!input_read(p->dry.execution, INPUT_EXECUTION, NULL, &input, err))
        return false;
    if (p->asked.on_gpu)
        execution_put_on_device(input.execution);
    execution_take_marks(input.execution);
    const struct program program = program_of_execution(input.execution, &scratch);
    const bool good = program_check(&program, err);
    p->source.steps = arena_alloc(&p->arena, sizeof *p->source.steps);
    p->source.count = 1;
    p->source.path = str_of(call_argument(p->call, 0));
    predict_source_set(&p->source, 0, &program, p->texts, &p->arena);
    input_free(&input);
    arena_free(&scratch);
    return good;
}

/* ---- the command ---- */

/* A dry run of so many ranks; 0: of a script that is no job. */
static bool price_job(struct pricing *p, int64_t ranks, struct steptime_error *err)
{
    dry_close(&p->dry);
    if (!run_dry(p, ranks, err) || !take_step(p, err))
        return false;
    p->prices = price_all(&p->source, &p->asked.predict, p->asked.devices, p->asked.count, &p->arena);
    p->prices.memory = (struct price_memory){p->dry.memory.peak_bytes, p->dry.memory.place};
    if (ranks)
        price_ranks_add(&p->ranks, ranks, &p->source, &p->asked, &p->prices, &p->arena);
    return true;
}

static bool price_jobs(struct pricing *p, struct steptime_error *err)
{
    bool good = p->ranks.count || price_job(p, 0, err);
    for (uint32_t i = 0; i < p->ranks.count && good; i++)
        good = price_job(p, p->ranks.at[i], err);
    return good;
}

static void show_compiled(struct pricing *p)
{
    struct steptime_error err = {.offset = -1};
    struct predict_asked on = p->asked.predict;
    struct price_compiled compiled;
    if (!p->asked.count)
        return;
    on.plan.hardware = &p->asked.devices[0];
    if (price_compiled_of(&p->source, &on, &compiled, &err))
        price_compiled_show(&compiled, p->report);
}

static bool price(struct pricing *p, struct steptime_error *err)
{
    if (!output_check(p->call, err) || !price_asked_read(p->call, &p->arena, &p->asked, err) ||
        !price_ranks_read(p->call, &p->ranks, err) || !price_jobs(p, err) || !price_keep(p->call, &p->dry, err))
        return false;
    p->report = report_new(&p->arena, S("price"));
    hardware_tell(p->call, p->report);
    if (p->asked.count)
        price_show(&p->prices, p->report);
    if (p->ranks.count && p->asked.count)
        price_jobs_show(p->ranks.jobs, p->ranks.job_count, p->report);
    show_compiled(p);
    price_show_memory(&p->dry.memory, p->report);
    price_show_dry(&p->dry, p->report);
    return output_report(p->call, p->report, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct pricing p = {.call = call, .texts = program_texts_new()};
    const bool good = price(&p, err);
    dry_close(&p.dry);
    program_texts_free(p.texts);
    return training_end(&p.arena, good ? STEPTIME_OK : err->code);
}

static const struct option options[] = {
    {"hw", 0, "NAME[,NAME...]|all", NULL,
     "On these devices: names of 'steptime hw' in any usual spelling, or files of your own. all: every GPU of the catalogue. "
     "The script is told that it runs on the first of them."},
    {"set", 0, "KEY=VALUE", NULL, "With this figure of the devices: memory=4TB/s. May come several times."},
    {"per-hour", 0, "PRICE", NULL, "The price of a GPU for an hour, in whatever money: steps are told in it, too."},
    {"level", 0, "SHARE", NULL,
     "How many of the true times are to lie within the intervals that stand beside predictions: 0.9 by default."},
    {"ranks", 0, "N[,N...]", NULL,
     "A job of so many ranks, as torchrun would start it: its first rank is run, the others are stood in for (1, 8 or 1024 of "
     "them). Several numbers: a dry run of each, and a table; all else is then of the last."},
    {"network", 0, "LINK", NULL,
     "Between servers, per server: 400Gbps, or a network of 'steptime hw'. Default: the device's usual server's."},
    {"dry-steps", 0, "N", NULL, "Let the script make so many steps; the last one is priced. Default: 3."},
    {"limit", 0, "SECONDS", NULL, "Wait so long for them. Default: 600."},
    {"keep", 0, "FILE", NULL,
     "Keep the execution trace of the dry run. Without --hw the script is told that there is no GPU, and nothing is priced."},
    {"models", 0, "FILE", NULL, "Kernel models of your own beside those built in; see 'steptime model'."},
    {"python", 0, "PATH", NULL, "The interpreter of a script that is named alone. Default: python3."},
    {0},
};

const struct command command_price = {
    .name = "price",
    .arguments = "[--] COMMAND...",
    .brief = "what a step of a training script would take and cost on devices that are not here",
    .about =
        "Runs a training script, unchanged, without a GPU and without data: all its tensors have shapes and types and no "
        "values (PyTorch's FakeTensorMode). PyTorch answers as if it ran on the device asked for. After three steps, each "
        "ended by the step() of an optimizer, the script is stopped. What it did, operator by operator, goes through the "
        "models of 'steptime predict' for every device.\n\n"
        "Where the script asks for values that nobody knows (loss.item(), a branch on a tensor) it gets stand-ins; each is "
        "told with its line, and where the script chose its way by one, that as well. What it prints, saves and "
        "writes is thrown away. A script that cannot be run so is told with the line that stands in the way.",
    .examples =
        "steptime price --hw H100 -- python train.py|a step on an H100\n"
        "steptime price --hw H100,A100,L4 --per-hour 2.5 train.py|on three devices, and a million steps in money\n"
        "steptime price --hw all --format csv train.py --batch 32|on every GPU of the catalogue, as a table",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
