/* SPDX-License-Identifier: Apache-2.0 */
#include "price_asked.h"

#include "base/error.h"
#include "cli/predict/predict_rows.h"
#include "cli/program/hardware_option.h"
#include "cli/program/option_list.h"
#include "cli/program/user_models.h"
#include "cli/run/training.h"
#include "dry/device.h"
#include "hw/catalogue.h"
#include "io/source.h"
#include "io/writer.h"

/* ---- devices ---- */

static bool take_all(const struct call *call, struct arena *arena, struct price_asked *asked,
                     struct steptime_error *err)
{
    const struct catalogue *const catalogue = catalogue_built_in();
    asked->count = catalogue_gpu_count(catalogue);
    asked->devices = arena_array(arena, asked->count, sizeof *asked->devices);
    for (uint32_t i = 0; i < asked->count; i++) {
        asked->devices[i] = *catalogue_gpu_at(catalogue, i);
        if (!hardware_apply_sets(call, arena, &asked->devices[i], err))
            return false;
    }
    return true;
}

static bool is_there(const struct price_asked *asked, const struct hardware *hardware)
{
    for (uint32_t i = 0; i < asked->count; i++)
        if (str_eq(asked->devices[i].name, hardware->name) &&
            !memcmp(asked->devices[i].figure, hardware->figure, sizeof hardware->figure))
            return true;
    return false;
}

/* However often it was named. */
static void note_twice(struct price_asked *asked, str name)
{
    for (uint32_t i = 0; i < asked->twice_count; i++)
        if (str_eq(asked->twice[i], name))
            return;
    asked->twice[asked->twice_count++] = name;
}

static bool take_named(const struct call *call, str named, struct arena *arena, struct price_asked *asked,
                       struct steptime_error *err)
{
    struct option_list list;
    if (!option_list_of("hw", named, arena, &list, err))
        return false;
    asked->devices = arena_array(arena, list.count, sizeof *asked->devices);
    asked->twice = arena_array(arena, list.count, sizeof *asked->twice);
    for (uint32_t i = 0; i < list.count; i++) {
        struct hardware *const hardware = &asked->devices[asked->count];
        if (!hardware_of_words(call, list.at[i], arena, hardware, err))
            return false;
        if (is_there(asked, hardware))
            note_twice(asked, hardware->name);
        else
            asked->count++;
    }
    return true;
}

static bool take_devices(const struct call *call, str hw, struct arena *arena, struct price_asked *asked,
                         struct steptime_error *err)
{
    return str_eq(hw, S("all")) ? take_all(call, arena, asked, err) : take_named(call, hw, arena, asked, err);
}

/* ---- what the script is told ---- */

enum { USUAL_STEPS = 3, MOST_STEPS = 1000, USUAL_LIMIT_S = 600, MOST_LIMIT_S = 86400 };

/* It runs on the first device. */
static struct dry_device device_told(const struct price_asked *asked)
{
    if (!asked->on_gpu)
        return (struct dry_device){.name = S("")};
    return dry_device_of(&asked->devices[0]);
}

int64_t price_server(const struct price_asked *asked)
{
    return hardware_server(asked->count ? &asked->devices[0] : NULL);
}

/* "input_ids=8x128:int64,labels=8x128:int64": sizes from 1 on, types as PyTorch calls them, and all named or none. */
static bool is_shape(str word)
{
    str sizes = word, size, name;
    int64_t n;
    if (str_has(word, S("=")) && str_cut(&sizes, '=', &name) && !name.len)
        return false;
    str rest = sizes, kind = S("float32");
    str_cut(&rest, ':', &sizes);
    kind = rest.len ? rest : kind;
    if (!str_is_among("float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool", kind) || !sizes.len)
        return false;
    while (str_cut(&sizes, 'x', &size))
        if (!str_int(size, &n) || n < 1)
            return false;
    return true;
}

static bool take_shape(const struct call *call, struct arena *arena, str *shape, struct steptime_error *err)
{
    struct option_list list;
    uint32_t named = 0;
    *shape = call_str(call, "batch-shape", "");
    if (!option_list_read(call, "batch-shape", arena, &list, err))
        return false;
    for (uint32_t i = 0; i < list.count; i++) {
        named += str_has(list.at[i], S("="));
        if (!is_shape(list.at[i]))
            return fail(err, STEPTIME_USAGE,
                        "--batch-shape takes sizes and types, '8x3x224x224:float32,8:int64', each with a name or none, "
                        "'input_ids=8x128:int64'; not '%.*s'",
                        (int)list.at[i].len, list.at[i].at);
    }
    return !named || named == list.count || fail(err, STEPTIME_USAGE, "--batch-shape names all of its tensors or none");
}

static bool take_fallback(const struct call *call, enum price_fallback *fallback, struct steptime_error *err)
{
    static const char *const words[] = {
        [FALLBACK_NEEDED] = "needed", [FALLBACK_NEVER] = "never", [FALLBACK_ALWAYS] = "always"};
    const str word = call_str(call, "fallback", words[FALLBACK_NEEDED]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(word, str_of(words[i]))) {
            *fallback = (enum price_fallback)i;
            return true;
        }
    return fail(err, STEPTIME_USAGE, "--fallback takes needed, never and always, not '%.*s'", (int)word.len, word.at);
}

static bool take_dry(const struct call *call, struct arena *arena, struct price_asked *asked,
                     struct steptime_error *err)
{
    int64_t limit_s;
    const char *const *const argv = training_words(call, arena, err);
    if (!argv)
        return false;
    asked->path = call_argument(call, 0);
    asked->dry = (struct dry_options){.argv = argv,
                                      .device = device_told(asked),
                                      .precision = S(""),
                                      .server = price_server(asked),
                                      .loads = !call_flag(call, "no-loading")};
    if (!take_shape(call, arena, &asked->dry.batch_shape, err) ||
        !call_count(call, "dry-steps", 1, MOST_STEPS, USUAL_STEPS, &asked->dry.steps, err) ||
        !call_count(call, "limit", 1, MOST_LIMIT_S, USUAL_LIMIT_S, &limit_s, err))
        return false;
    asked->dry.limit_ns = limit_s * 1000000000;
    return true;
}

/* ---- all that is asked ---- */

bool price_asked_read(const struct call *call, str recorded, struct arena *arena, struct price_asked *asked,
                      struct steptime_error *err)
{
    const char *const hw = call_text(call, "hw") ? call_text(call, "hw") : recorded.len ? str_z(arena, recorded) : NULL;
    if (!hw && !call_text(call, "keep"))
        return fail(
            err, STEPTIME_USAGE,
            "on which device? --hw NAME, or --hw all; 'steptime hw' lists them. --keep FILE alone keeps what it does on the CPU");
    *asked = (struct price_asked){.on_gpu = hw != NULL};
    if (!predict_level(call, &asked->predict.level, err) || !user_prices_read(call, arena, &asked->prices, err))
        return false;
    asked->predict.plan.models = models_of_call(call, arena, err);
    return asked->predict.plan.models && (!hw || take_devices(call, str_of(hw), arena, asked, err)) &&
           take_dry(call, arena, asked, err) && take_fallback(call, &asked->fallback, err);
}

void price_asked_tell(const struct price_asked *asked, struct report *report)
{
    for (uint32_t i = 0; i < asked->twice_count; i++)
        report_warning(report, asked->twice[i], -1, S("named more than once; it is told of once"));
}

/* ---- --keep ---- */

bool price_keep(const struct call *call, const struct dry_result *dry, struct steptime_error *err)
{
    enum { PIECE = 1 << 16 };
    const char *const to = call_text(call, "keep");
    if (!to)
        return true;
    struct source *const from = source_open(dry->execution, err);
    struct writer *const out = from ? writer_open(to, err) : NULL;
    char piece[PIECE];
    for (size_t bytes; out && (bytes = source_read(from, piece, sizeof piece)) > 0;)
        writer_put(out, (str){piece, bytes});
    const char *const damage = out ? source_damage(from) : NULL;
    if (damage)
        writer_abandon(out);
    const bool good =
        damage ? fail_at(err, STEPTIME_INPUT, str_of(dry->execution), -1, "%s", damage) : out && writer_close(out, err);
    if (from)
        source_close(from);
    return good;
}
