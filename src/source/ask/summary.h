/* SPDX-License-Identifier: Apache-2.0 */
/* What a function of the run does, for who calls it: found over all files to a fixed point. */
#ifndef SOURCE_SUMMARY_H
#define SOURCE_SUMMARY_H

#include "project.h"
#include "source/values/value.h"

enum effect {
    EFFECT_RANDOM = 1 << 0,    /* draws random numbers */
    EFFECT_IO = 1 << 1,        /* prints, logs, reads or writes files */
    EFFECT_GLOBAL = 1 << 2,    /* binds or changes globals */
    EFFECT_ATTRIBUTE = 1 << 3, /* binds or changes attributes of self or of other objects */
    EFFECT_ARGUMENT = 1 << 4,  /* changes what it was given (see mutated) */
    EFFECT_UNKNOWN = 1 << 5,   /* calls what is not known */
    EFFECT_TIME = 1 << 6,      /* looks at the clock */
    EFFECT_BACKWARD = 1 << 7,  /* .backward(), itself or through others */
    EFFECT_STEP = 1 << 8,      /* optimizer.step() */
    EFFECT_UPLOAD = 1 << 9,    /* moves something to the device */
    EFFECT_DOWNLOAD = 1 << 10, /* reads something back or waits */
};

struct summary {
    const struct value *result; /* DEVICE_PARAMETER: same as that argument */
    uint32_t effects;           /* enum effect */
    uint64_t uploaded;          /* bit k: parameter k (or what is in it) is moved to the device */
    uint64_t downloaded;        /* bit k: it is read back */
    uint64_t mutated;           /* bit k: it is changed in place */
    uint64_t returned;          /* bit k: the result is the argument itself, perhaps moved or a part */
    bool upload_wrapper;        /* its result is an argument, moved: def to_gpu(x): return x.cuda() */
    bool download_wrapper;
};

const struct summary *summary_of(const struct project *project, uint32_t function);
static inline bool summary_pure(const struct summary *summary)
{
    return !(summary->effects & (EFFECT_RANDOM | EFFECT_IO | EFFECT_GLOBAL | EFFECT_ATTRIBUTE | EFFECT_ARGUMENT |
                                 EFFECT_UNKNOWN | EFFECT_TIME));
}

#endif
