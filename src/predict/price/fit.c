/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <math.h>

#include "base/sum.h"

/*
 * PyTorch's pull request 86509 measured 287,047,680 bytes for a context whose kernels are loaded as they are called, and
 * issue 107667 tells of over 1000 MB with all of them loaded.
 */
static const int64_t context_low = 287047680, context_high = (int64_t)1 << 30;

/*
 * A workspace of cuBLAS is 2 x 4096 KiB + 8 x 16 KiB, from Hopper on 32 MiB (aten/src/ATen/cuda/CublasHandlePool.cpp); one of
 * cuBLASLt at most 4 MiB, from Hopper on 32 MiB (CUDABlas.cpp). The thread of autograd has those of its own.
 */
enum { WORKSPACE = 8519680, WORKSPACE_LATER = 32 << 20, LIGHT = 4 << 20, LIGHT_LATER = 32 << 20, HOPPER = 90 };

const char *fit_word(enum fit_verdict verdict)
{
    static const char *const words[] = {[FIT_YES] = "yes", [FIT_MAYBE] = "may not", [FIT_NO] = "no"};
    return words[verdict];
}

struct fit_range fit_context(void)
{
    return (struct fit_range){context_low, context_high};
}

struct fit_range fit_workspaces(const struct hardware *hardware)
{
    const bool later = hardware_capability(hardware) >= HOPPER;
    const int64_t one = later ? WORKSPACE_LATER : WORKSPACE, light = later ? LIGHT_LATER : LIGHT;
    return (struct fit_range){one, 2 * (one + light)};
}

/*
 * Two of cuBLAS, one a thread that multiplies: the script's and autograd's. Snapshots of two trainings on an H200 (PyTorch 2.11, doc/h200.md)
 * hold these two and none of cuBLASLt, which shares cuBLAS's there (TORCH_CUBLASLT_UNIFIED_WORKSPACE).
 */
int64_t fit_workspaces_allocated(const struct hardware *hardware)
{
    if (hardware->capability <= 0)
        return 0; /* of another vendor, or a generation that is not known: no guess */
    return 2 * (int64_t)(hardware->capability >= HOPPER ? WORKSPACE_LATER : WORKSPACE);
}

/* With as much room as is left beside what is none of its tensors'. False: not even without what is cached. */
static struct allocator_peak with_room(const struct dry_lives *lives, int64_t memory, int64_t beside)
{
    const int64_t room = memory > beside ? memory - beside : 1;
    return allocator_replay(lives, room);
}

static void judge(const struct dry_lives *lives, int64_t memory, struct fit_range beside, struct fit *fit)
{
    fit->verdict = FIT_YES;
    if (fit->high > memory) {
        const struct allocator_peak tight = with_room(lives, memory, beside.high);
        if (tight.failed_at == LIVES_NONE) { /* segments that are given back where room is short */
            fit->high = tight.reserved + beside.high;
        } else {
            const bool fails = with_room(lives, memory, beside.low).failed_at != LIVES_NONE;
            fit->verdict = fails ? FIT_NO : FIT_MAYBE;
            fit->place = lives->storages[lives->events[tight.failed_at].of].place;
        }
    }
    fit->spare = memory - fit->high;
}

struct fit fit_on(const struct dry_lives *lives, struct allocator_peak free, const struct hardware *hardware)
{
    const struct fit_range context = fit_context(), workspaces = fit_workspaces(hardware);
    const struct fit_range beside = {context.low + workspaces.low, context.high + workspaces.high};
    const int64_t memory = (int64_t)hardware->figure[HW_MEMORY_BYTES];
    struct fit fit = {.place = S("")};
    if (!free.held)
        return fit;
    fit.low = sum_add(free.held, beside.low);
    fit.high = sum_add(free.reserved, beside.high);
    if (memory > 0)
        judge(lives, memory, beside, &fit);
    return fit;
}

void fit_widen(struct fit *fit, double error, const struct hardware *hardware)
{
    const int64_t memory = (int64_t)hardware->figure[HW_MEMORY_BYTES];
    if (!(error > 0) || !fit->high)
        return;
    fit->low = sum_rounded((double)fit->low * fmax(1 - 2 * error, 0));
    fit->high = sum_rounded((double)fit->high * (1 + 2 * error));
    if (fit->verdict != FIT_UNKNOWN)
        fit->spare = memory - fit->high;
    if ((fit->verdict == FIT_YES && fit->high > memory) || (fit->verdict == FIT_NO && fit->low <= memory))
        fit->verdict = FIT_MAYBE;
}
