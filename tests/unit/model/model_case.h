/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the models as predictions do: a kernel on a device of the catalogue. */
#ifndef MODEL_CASE_H
#define MODEL_CASE_H

#include "unit/cmocka_first.h"

#include <math.h>

#include "model/estimate/model.h"

static struct arena arena;
static const struct models *models;

static int open_models(void **state)
{
    models = models_new(&arena);
    return 0;
}

static int close_models(void **state)
{
    arena_free(&arena);
    return 0;
}

static inline struct hardware device(const char *name)
{
    struct hardware hardware;
    struct steptime_error err;
    if (!hardware_find(str_of(name), &arena, &hardware, &err))
        fail_msg("%s", err.message);
    return hardware;
}

static inline struct estimate estimate_on(const struct hardware *hardware, struct kernel kernel)
{
    struct estimate estimate;
    struct steptime_error err;
    if (!models_estimate(models, hardware, &kernel, &estimate, &err))
        fail_msg("%s", err.message);
    assert_true(isfinite(estimate.us) && estimate.us > 0);
    return estimate;
}

static inline double us_on(const char *name, struct kernel kernel)
{
    const struct hardware hardware = device(name);
    return estimate_on(&hardware, kernel).us;
}

/* What the models say of a kernel that they refuse. */
static inline str refusal(const struct hardware *hardware, struct kernel kernel)
{
    struct estimate estimate;
    struct steptime_error err;
    assert_false(models_estimate(models, hardware, &kernel, &estimate, &err));
    return str_copy(&arena, str_of(err.message));
}

#endif
