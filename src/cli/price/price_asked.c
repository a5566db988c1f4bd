/* SPDX-License-Identifier: Apache-2.0 */
#include "price_asked.h"

#include <math.h>

#include "base/error.h"
#include "cli/predict/predict_rows.h"
#include "cli/program/hardware_option.h"
#include "cli/program/user_models.h"
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

static uint32_t words_in(str list)
{
    uint32_t words = 0;
    for (str word; str_cut(&list, ',', &word);)
        words++;
    return words;
}

static bool take_named(const struct call *call, str list, struct arena *arena, struct price_asked *asked,
                       struct steptime_error *err)
{
    asked->devices = arena_array(arena, words_in(list), sizeof *asked->devices);
    for (str word; str_cut(&list, ',', &word);)
        if (!hardware_of_words(call, str_trim(word), arena, &asked->devices[asked->count++], err))
            return false;
    return asked->count || fail(err, STEPTIME_USAGE, "--hw names no device");
}

bool price_asked_read(const struct call *call, struct arena *arena, struct price_asked *asked,
                      struct steptime_error *err)
{
    const char *const hw = call_text(call, "hw");
    if (!hw && !call_text(call, "keep"))
        return fail(
            err, STEPTIME_USAGE,
            "on which device? --hw NAME, or --hw all; 'steptime hw' lists them. --keep FILE alone keeps what it does on the CPU");
    *asked = (struct price_asked){.on_gpu = hw != NULL};
    if (!predict_level(call, &asked->predict.level, err) || !predict_per_hour(call, &asked->predict.per_hour, err))
        return false;
    asked->predict.per_hour = isnan(asked->predict.per_hour) ? 0 : asked->predict.per_hour;
    asked->predict.plan.models = models_of_call(call, arena, err);
    if (!asked->predict.plan.models)
        return false;
    if (!hw)
        return true;
    return str_eq(str_of(hw), S("all")) ? take_all(call, arena, asked, err)
                                        : take_named(call, str_of(hw), arena, asked, err);
}

/* ---- what the script is told ---- */

/* NVIDIA's number of a generation; where the catalogue has none, by the formats that its matrix units have. */
static int capability_of(const struct hardware *hardware)
{
    return hardware->capability            ? hardware->capability
           : hardware->figure[HW_FP4] > 0  ? 100
           : hardware->figure[HW_FP8] > 0  ? 90
           : hardware->figure[HW_BF16] > 0 ? 80
                                           : 70;
}

struct dry_device price_device(const struct price_asked *asked, struct arena *arena)
{
    if (!asked->on_gpu)
        return (struct dry_device){.name = S("")};
    const struct hardware *const first = &asked->devices[0];
    return (struct dry_device){
        .gpu = asked->on_gpu,
        .name = first->name,
        .bytes = (int64_t)first->figure[HW_MEMORY_BYTES],
        .sms = (int64_t)first->figure[HW_SMS],
        .capability = capability_of(first),
    };
}

int64_t price_server(const struct price_asked *asked)
{
    enum { USUAL_SERVER = 8 };
    const double known = asked->count ? asked->devices[0].figure[HW_GPUS_PER_SERVER] : 0;
    return known >= 1 && known < 1e6 ? (int64_t)known : USUAL_SERVER;
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
    if (from)
        source_close(from);
    return out && writer_close(out, err);
}
