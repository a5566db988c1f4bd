/* SPDX-License-Identifier: Apache-2.0 */
/* Embedding tables over devices: which goes where, and what each choice costs. */
#include "base/error.h"
#include "cli/program/call.h"
#include "cli/program/hardware_option.h"
#include "cli/program/user_models.h"
#include "hw/quantity.h"
#include "cli/program/output.h"
#include "predict/shard/shard.h"
#include "predict_rows.h"

enum { USUAL_BATCH = 4096 };
static const double usual_share = 0.8; /* of a device's memory: the rest is for activations and the optimizer */

static bool read_memory(const struct call *call, struct shard_asked *asked, struct steptime_error *err)
{
    const char *text = call_text(call, "memory");
    const double all = asked->hardware->figure[HW_MEMORY_BYTES];
    struct quantity quantity = {.value = all * usual_share, .dimension = DIMENSION_BYTES};
    const char *wrong = text ? quantity_read(str_of(text), &quantity) : NULL;
    if (wrong)
        return fail(err, STEPTIME_USAGE, "--memory: '%s' %s", text, wrong);
    if (quantity.dimension == DIMENSION_SHARE)
        quantity.value *= all;
    else if (quantity.dimension != DIMENSION_BYTES)
        return fail(err, STEPTIME_USAGE,
                    "--memory is an amount like 32GiB, or a share of the device's like 60%%, not '%s'", text);
    asked->memory_bytes = quantity.value;
    return quantity.value > 0 ||
           fail(err, STEPTIME_USAGE, "the memory of the device is not known: say how much with --memory");
}

static bool read_method(const struct call *call, bool *given, enum shard_method *method, struct steptime_error *err)
{
    const char *text = call_text(call, "method");
    *given = text != NULL;
    return !text || shard_method_of_word(str_of(text), method) ||
           fail(err, STEPTIME_USAGE, "there is no method '%s'", text);
}

static bool read_asked(const struct call *call, struct arena *arena, struct hardware *hardware,
                       struct shard_asked *asked, struct steptime_error *err)
{
    int64_t devices;
    const char *hw = call_text(call, "hw");
    if (!call_text(call, "gpus"))
        return fail(err, STEPTIME_USAGE, "over how many devices? --gpus N");
    if (!hw)
        return fail(err, STEPTIME_USAGE, "which device? --hw NAME; 'steptime hw' lists them");
    if (!call_count(call, "gpus", 1, SHARD_DEVICES, 1, &devices, err) ||
        !call_count(call, "batch", 1, 1 << 30, USUAL_BATCH, &asked->batch, err) ||
        !predict_level(call, &asked->level, err) || !predict_per_hour(call, &asked->per_hour, err) ||
        !hardware_of_words(call, str_of(hw), arena, hardware, err))
        return false;
    asked->devices = (uint32_t)devices;
    asked->hardware = hardware;
    asked->models = models_of_call(call, arena, err);
    asked->bytes_element = call_text(call, "weights") && !strcmp(call_text(call, "weights"), "fp16") ? 2 : 4;
    return asked->models && read_memory(call, asked, err);
}

static bool shard(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    struct hardware hardware;
    struct shard_asked asked = {0};
    struct shard_table *tables;
    struct sharding sharding;
    enum shard_method method;
    bool given;
    uint32_t count;
    if (call_argument_count(call) != 1)
        return fail(err, STEPTIME_USAGE, "one table of embedding tables, please");
    const char *path = call_argument(call, 0);
    if (!read_asked(call, arena, &hardware, &asked, err) || !read_method(call, &given, &method, err) ||
        !shard_read(path, arena, &tables, &count, err) || !shard_run(&asked, tables, count, arena, &sharding, err))
        return false;
    struct report *report = report_new(arena, S("shard"));
    shard_show(&sharding, given ? method : sharding.best, report);
    return output_report(call, report, err);
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    const bool good = output_check(call, err) && shard(call, &arena, err);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"gpus", 0, "N", NULL, "Over so many devices."},
    {"hw", 0, "NAME|FILE", NULL, "Of this kind: a name of 'steptime hw' in any usual spelling, or a file of your own."},
    {"set", 0, "KEY=VALUE", NULL,
     "With this figure of the device or its links: network=100Gbps. May come several times."},
    {"batch", 0, "N", NULL, "Samples of a step, on all devices together. Default: 4096."},
    {"memory", 0, "SIZE", NULL,
     "Memory of a device that tables may take: 32GiB, or a share of it like 60%. Default: 80%."},
    {"weights", 0, "TYPE", "fp32|fp16", "How weights are kept. Default: fp32."},
    {"method", 0, "METHOD", "naive|size-greedy|lookup-greedy|norm-lookup|size-lookup|time-greedy|time-local",
     "Show the placement of this method instead of the best one's."},
    {"level", 0, "SHARE", NULL,
     "How many of the true times are to lie within the intervals that stand beside times: 0.9 by default."},
    {"per-hour", 0, "PRICE", NULL,
     "The price of a GPU for an hour, in whatever money: a step on all devices is told in it, too, beside its joules."},
    {"models", 0, "FILE", NULL, "Kernel models of your own beside those built in; see 'steptime model'."},
    {0},
};

const struct command command_shard = {
    .name = "shard",
    .arguments = "TABLES.csv",
    .brief = "embedding tables over devices: which goes where, and what each choice costs",
    .about =
        "Places embedding tables on devices so that the slowest one has as little to do as can be, by the predicted "
        "time of their lookups, and shows beside it what simpler ways would cost: round robin, by size, by "
        "lookups. A table too large for a device is cut by its rows. The time of the exchange (all-to-all, there "
        "and back) and the memory of each device are part of the answer.\n\nTABLES.csv has a row a table with the "
        "columns rows and width, and, where they differ, lookups (of a sample, in the mean) and name.\n\nThe "
        "tables: choices, energy (joules and, with --per-hour, money of a step on all devices), devices, placement.",
    .examples = "steptime shard tables.csv --gpus 8 --hw H100|the best placement on eight H100\n"
                "steptime shard tables.csv --gpus 16 --hw A100-SXM4-40GB --set network=100Gbps|over two servers\n"
                "steptime shard tables.csv --gpus 8 --hw H100 --format csv --table placement|for a program to read",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .options = options,
    .list = shard_show_tables,
    .run = run,
};
