/* SPDX-License-Identifier: Apache-2.0 */
/* Each GPU of the catalogue whose figures are known, for what must hold on all of them without a measurement. */
#ifndef EVERY_GPU_H
#define EVERY_GPU_H

#include "unit/cmocka_first.h"

#include <math.h>

#include "hw/catalogue.h"
#include "model/estimate/model.h"

enum { MOST = 256 };

static struct arena arena;
static const struct models *models;
static struct hardware gpu[MOST];
static uint32_t gpus;

static int open_models(void **state)
{
    const struct catalogue *catalogue = catalogue_built_in();
    models = models_new(&arena);
    for (uint32_t i = 0; i < catalogue_gpu_count(catalogue) && gpus < MOST; i++) {
        const struct hardware *one = catalogue_gpu_at(catalogue, i);
        if (one->figure[HW_FP32] > 0 && one->figure[HW_SMS] > 0 && one->figure[HW_MEMORY_RATE] > 0)
            gpu[gpus++] = *one;
    }
    return gpus > 40 ? 0 : -1;
}

static int close_models(void **state)
{
    arena_free(&arena);
    return 0;
}

static inline struct estimate estimate_of(const struct hardware *hardware, struct kernel kernel)
{
    struct estimate estimate;
    assert_true(models_estimate(models, hardware, &kernel, &estimate, NULL));
    return estimate;
}

static inline double us_of(const struct hardware *hardware, struct kernel kernel)
{
    return estimate_of(hardware, kernel).us;
}

#endif
