/* SPDX-License-Identifier: Apache-2.0 */
/* What a step of a script would take and cost on devices that are not here. */
#include "base/error.h"
#include "cli/program/command.h"
#include "cli/program/hardware_option.h"
#include "cli/program/output.h"
#include "cli/run/training.h"
#include "price_check.h"
#include "price_dry_show.h"
#include "price_explain.h"
#include "price_ranks.h"
#include "price_run.h"
#include "price_sweep.h"
#include "price_ways.h"

struct pricing {
    const struct call *call;
    struct arena arena;
    struct price_asked asked;
    struct price_run run; /* of the script as it is */
    struct program_texts *texts;
    struct prices prices;
    struct price_sweep sweep;
    struct price_recorded recorded; /* zeroed where nothing is checked */
    struct price_ranks ranks;
    struct report *report;
};

/* ---- on every device, of every job ---- */

/* A dry run of so many ranks; 0: of a script that is no job. */
static bool price_job(struct pricing *p, int64_t ranks, struct steptime_error *err)
{
    const struct price_setting as_it_is = {.precision = S("")};
    const struct price_list list = user_prices_list(&p->asked.prices);
    price_run_close(&p->run);
    if (ranks && !price_ranks_script(p->asked.dry.argv, err))
        return false;
    p->asked.dry.ranks = ranks;
    if (!price_run(&p->asked, &as_it_is, p->texts, &p->arena, &p->run, err))
        return false;
    p->prices =
        price_all(&p->run.source, &p->asked.predict, &p->run.step, &list, p->asked.devices, p->asked.count, &p->arena);
    if (ranks)
        price_ranks_add(&p->ranks, ranks, &p->run.source, &p->asked, &p->prices, &p->arena);
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
    on.plan.hardware = &p->asked.devices[0];
    if (price_compiled_of(&p->run.source, &on, &compiled, &err))
        price_compiled_show(&compiled, p->report);
}

static void show_devices(struct pricing *p)
{
    const struct price_ways ways = {&p->asked, &p->run, p->texts, &p->arena};
    if (!p->asked.count)
        return;
    if (p->ranks.count > 1)
        section_text(report_section(p->report, "price", "Price"),
                     str_printf(&p->arena,
                                "All but the table of jobs is of the job of %lld ranks, the last of --ranks.",
                                (long long)p->asked.dry.ranks));
    price_show(&p->prices, p->report);
    price_show_left_out(&p->run.dry, p->report);
    if (p->ranks.count)
        price_jobs_show(p->ranks.jobs, p->ranks.job_count, p->report);
    show_compiled(p);
    price_ways_show(&ways, &p->prices, call_flag(p->call, "ways"), p->report);
}

static bool sweep(struct pricing *p, struct steptime_error *err)
{
    const struct price_sweeping sweeping = {&p->sweep, &p->asked, &p->run, p->texts, &p->arena};
    return !p->sweep.asked || price_sweep_show(&sweeping, p->report, err);
}

/* ---- after renting ---- */

static bool read_recorded(struct pricing *p, struct steptime_error *err)
{
    const char *const path = call_text(p->call, "check");
    p->recorded.device = S("");
    if (!path && call_text(p->call, "kernels"))
        return fail(err, STEPTIME_USAGE, "--kernels takes those of the trace that --check names");
    return !path || price_check_read(path, &p->recorded, err);
}

/* The trace's device where it is among those asked for, else the first. */
static const struct price *price_to_check(const struct pricing *p)
{
    struct hardware recorded;
    const str device = p->recorded.device;
    const bool known = device.len && hardware_recorded(device, report_arena(p->report), &recorded, NULL);
    for (uint32_t i = 0; known && i < p->prices.count; i++)
        if (str_eq(recorded.name, p->prices.at[i].hardware.name))
            return &p->prices.at[i];
    return &p->prices.at[0];
}

static bool check(struct pricing *p, struct steptime_error *err)
{
    return !p->recorded.trace || !p->prices.count ||
           price_check_show(p->call, &p->asked, &p->run, price_to_check(p), &p->recorded, p->report, err);
}

/* ---- the command ---- */

static bool price(struct pricing *p, struct steptime_error *err)
{
    if (!output_check(p->call, err) || !read_recorded(p, err) ||
        !price_asked_read(p->call, p->recorded.device, &p->arena, &p->asked, err) ||
        !price_sweep_read(p->call, &p->arena, &p->sweep, err) ||
        !price_ranks_read(p->call, &p->arena, &p->ranks, err) || !price_jobs(p, err) ||
        !price_keep(p->call, &p->run.dry, err))
        return false;
    p->report = report_new(&p->arena, S("price"));
    hardware_tell(p->call, p->report);
    price_asked_tell(&p->asked, p->report);
    price_real_show(&p->run.real, p->report);
    show_devices(p);
    if (!sweep(p, err) || !check(p, err))
        return false;
    price_show_step(&p->run.step, p->report);
    price_show_load(&p->run.step.load, p->report);
    price_show_memory(&p->run.dry.memory, p->asked.count ? &p->asked.devices[0] : NULL, p->report);
    price_show_dry(&p->run.dry, p->asked.dry.batch_shape.len > 0, p->report);
    const char *const word = call_text(p->call, "explain");
    if (word)
        p->report = price_explain(str_of(word), &p->asked, &p->run, &p->prices, p->report, err);
    return p->report && output_report(p->call, p->report, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct pricing p = {.call = call, .texts = program_texts_new()};
    const bool good = price(&p, err);
    price_run_close(&p.run);
    trace_free(p.recorded.trace);
    program_texts_free(p.texts);
    return training_end(&p.arena, good ? STEPTIME_OK : err->code);
}

static const struct option options[] = {
    {"hw", 0, "NAME|FILE,...|all", NULL,
     "On these devices: names of 'steptime hw' in any usual spelling, or files of your own. all: every GPU of the catalogue. "
     "The script is told that it runs on the first of them."},
    {"set", 0, "KEY=VALUE", NULL, "With this figure of the devices: memory=4TB/s. May come several times."},
    {"per-hour", 0, "PRICE", NULL, "The price of a GPU for an hour, in whatever money: steps are told in it, too."},
    {"prices", 0, "FILE", NULL,
     "Prices of devices for an hour: a table (CSV) with the columns device and per_hour. What it lacks costs --per-hour."},
    {"batch", 0, "N[,N...]", NULL,
     "Also with loaders that hand out so many samples: the script is run dry again with each. Where none takes it, sizes are scaled."},
    {"batch-shape", 0, "SHAPES", NULL,
     "Where data is absent, what its DataLoaders hand out: 8x3x224x224,8:int64, or input_ids=8x128:int64,labels=8x128:int64."},
    {"precision", 0, "TYPE[,TYPE...]", NULL, "Also with all of it in autocast: bf16, fp16; as-is: as the script says."},
    {"ranks", 0, "N[,N...]", NULL,
     "A job of so many ranks, as torchrun would start it: its first rank is run, the others are stood in for (1, 8 or 1024 of "
     "them). Several numbers: a dry run of each, and a table; all else is then of the last."},
    {"network", 0, "LINK[,LINK...]", NULL,
     "Between servers, per server: 400Gbps, or a network of 'steptime hw'. Default: the device's usual server's. Several: a row of "
     "the sweep each; all else is then of the first."},
    {"ways", 0, NULL, NULL,
     "Also where it fits: what it would take with less memory, as for a device on which it does not fit."},
    {"check", 0, "TRACE", NULL,
     "Compare with the first real trace of the script, operator by operator. Without --hw on the trace's device."},
    {"kernels", 0, "FILE", NULL,
     "With --check: write the kernels that were measured, as 'steptime calibrate --rows' reads them."},
    {"explain", 0, "ID", NULL,
     "Tell what a number means and which operators, storages or calls are behind it: step_us, peak_bytes, flops ... 'list' shows all names."},
    {"level", 0, "SHARE", NULL,
     "How many of the true times are to lie within the intervals that stand beside predictions: 0.9 by default."},
    {"dry-steps", 0, "N", NULL, "Let the script make so many steps; the last one is priced. Default: 3."},
    {"limit", 0, "SECONDS", NULL, "Wait so long for them. Default: 600."},
    {"no-loading", 0, NULL, NULL,
     "Leave out what loading data takes: else its loaders hand out a few batches with data behind the last step, and are timed here."},
    {"fallback", 0, "WHEN", NULL,
     "Where the script cannot go on without data: run it on the CPU with one sample, and scale that (needed, the default), or not (never); "
     "always: do not try without data."},
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
        "models of 'steptime predict' for every device: cheapest first, with what it holds there, whether that fits, and what would "
        "make it fit.\n\n"
        "Where the script asks for values that nobody knows (loss.item(), a branch on a tensor) it gets stand-ins; each is "
        "told with its line, and where the script chose its way by one, that as well. What it prints, saves and "
        "writes is thrown away. A script that cannot be run so is told with the line that stands in the way.",
    .examples =
        "steptime price --hw H100 -- python train.py|a step on an H100\n"
        "steptime price --hw H100,A100,L4 --per-hour 2.5 train.py|on three devices, and a thousand steps in money\n"
        "steptime price --hw H100 --batch 8,16,32 --format html -o batch.html train.py|the same with other batches, as curves\n"
        "steptime price --check first.json.gz --kernels measured.csv train.py|after renting: what was wrong, and kernels for calibrate\n"
        "steptime price --hw all --format csv --table devices train.py --epochs 1|on every GPU of the catalogue, as a table",
    .shared = SHARED_OUTPUT,
    .options = options,
    .run = run,
    .list = price_explain_list,
};
