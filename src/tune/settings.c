/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <math.h>

enum { PREFETCH = 2, MOST_PREFETCH = 8, MOST_WORKERS = 16 }; /* PREFETCH: what PyTorch takes where nothing is said */

static const struct prediction unknown = {NAN, NAN, NAN, NAN};

/* ---- what is seen ---- */

static bool is_much(const struct look *look, double ns)
{
    return look->step_ns > 0 && ns * 100 >= look->step_ns * SETTINGS_LEAST_PERCENT;
}

bool settings_loader_is_slow(const struct look *look)
{
    return look->has_loader && is_much(look, look->wait_ns);
}

bool settings_may_be_fused(const struct look *look)
{
    return look->may_be_fused && is_much(look, look->optimizer_ns);
}

/* ---- what workers save ---- */

/*
 * A batch takes so long to make: as long as the step waits where nobody else makes it; by w workers, for which a step still waits,
 * w steps. `workers` make it in that time by their number, beside all else of a step, and no faster than the processors are.
 */
static double step_with(const struct look *look, double wait_ns, int64_t workers, int64_t processors)
{
    const int64_t now = look->loader.workers;
    const double rest_ns = fmax(0, look->step_ns - wait_ns);
    const double making_ns = now > 0 ? (double)now * look->step_ns : wait_ns;
    const double work_ns = now > 0 ? 0 : rest_ns + look->worked * wait_ns;
    const double bound_ns = work_ns / (double)(processors > 0 ? processors : 1);
    return fmax(fmax(rest_ns, making_ns / (double)workers), bound_ns);
}

static double saving(const struct look *look, double wait_ns, int64_t workers, int64_t processors)
{
    return fmax(0, look->step_ns - step_with(look, wait_ns, workers, processors));
}

/* Where one worker is slower than the rest of the step, a longer wait saves less: the ends may change places. */
static struct prediction prediction_of(const struct look *look, int64_t workers, int64_t processors)
{
    const double at = saving(look, fmin(look->wait_ns, look->step_ns), workers, processors);
    const double a = saving(look, fmin(look->wait_low_ns, look->step_ns), workers, processors);
    const double b = saving(look, fmin(look->wait_high_ns, look->step_ns), workers, processors);
    return (struct prediction){at, fmin(at, fmin(a, b)), fmax(at, fmax(a, b)), look->step_ns};
}

/* ---- one after the other ---- */

struct looking {
    const struct look *look;
    const struct setting_asks *asks;
    struct arena *arena;
    struct setting *setting;
};

static bool is_new(const struct looking *looking)
{
    const struct setting *const setting = looking->setting;
    return !looking->asks->was_tried(looking->asks->context, setting->words, setting->loader);
}

static bool of_loader(const struct looking *looking, const char *name, str value, struct prediction predicted)
{
    *looking->setting = (struct setting){
        .name = name,
        .words = str_printf(looking->arena, "%s=%.*s", name, (int)value.len, value.at),
        .loader = looking->look->number,
        .place = looking->look->loader.place,
        .kind = FIX_SAFE,
        .predicted = predicted,
        .scale = 1,
    };
    return is_new(looking);
}

/* 1, 2, 4, ... up to the processors, more than there are. */
static bool more_workers(const struct looking *looking)
{
    const struct look *const look = looking->look;
    const int64_t processors = looking->asks->processors;
    if (!settings_loader_is_slow(look))
        return false;
    for (int64_t workers = 1; workers <= processors && workers <= MOST_WORKERS; workers *= 2)
        if (workers > look->loader.workers &&
            of_loader(looking, "num_workers", str_printf(looking->arena, "%lld", (long long)workers),
                      prediction_of(look, workers, processors)))
            return true;
    return false;
}

static bool more_ahead(const struct looking *looking)
{
    const struct loader *const loader = &looking->look->loader;
    const int64_t ahead = 2 * (loader->prefetch > 0 ? loader->prefetch : PREFETCH);
    return settings_loader_is_slow(looking->look) && loader->workers > 0 && ahead <= MOST_PREFETCH &&
           of_loader(looking, "prefetch_factor", str_printf(looking->arena, "%lld", (long long)ahead), unknown);
}

/* Workers end with an epoch and start anew with the next. */
static bool lasting_workers(const struct looking *looking)
{
    const struct loader *const loader = &looking->look->loader;
    return looking->look->has_loader && loader->workers > 0 && !loader->persists && loader->epochs > 1 &&
           of_loader(looking, "persistent_workers", S("True"), unknown);
}

static bool pinned_memory(const struct looking *looking)
{
    return looking->asks->on_device && looking->look->has_loader && !looking->look->loader.pins &&
           of_loader(looking, "pin_memory", S("True"), unknown);
}

static bool fused_optimizer(const struct looking *looking)
{
    if (!looking->asks->unsafe || !settings_may_be_fused(looking->look))
        return false;
    *looking->setting = (struct setting){
        .name = "fused",
        .words = S("fused=True"),
        .loader = -1,
        .place = looking->look->optimizer_place,
        .kind = FIX_UNSAFE,
        .predicted = unknown,
        .scale = 1,
    };
    return is_new(looking);
}

static bool twice_the_batch(const struct looking *looking)
{
    const struct look *const look = looking->look;
    if (!looking->asks->batch || !look->has_loader || look->loader.batch < 1 || look->loader.batch > INT32_MAX / 2)
        return false;
    const str size = str_printf(looking->arena, "%lld", 2 * (long long)look->loader.batch);
    const bool is_untried = of_loader(looking, "batch_size", size, unknown);
    looking->setting->kind = FIX_UNSAFE;
    looking->setting->other_training = true;
    looking->setting->scale = 0.5;
    return is_untried;
}

bool settings_next(const struct look *look, const struct setting_asks *asks, struct arena *arena,
                   struct setting *setting)
{
    const struct looking looking = {look, asks, arena, setting};
    if (!asks->waits_unseen &&
        (more_workers(&looking) || more_ahead(&looking) || lasting_workers(&looking) || pinned_memory(&looking)))
        return true;
    return fused_optimizer(&looking) || twice_the_batch(&looking);
}
