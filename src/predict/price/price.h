/* SPDX-License-Identifier: Apache-2.0 */
/* What a step takes on each of several devices, and what bounds it there. doc/numbers/price.md has the definitions. */
#ifndef PREDICT_PRICE_H
#define PREDICT_PRICE_H

#include "predict/answer/predict.h"
#include "report/report.h"

enum price_bound { PRICE_BY_DEVICE, PRICE_BY_HOST };

struct price {
    struct hardware hardware;
    str why; /* there is no answer for it; "": there is */
    struct prediction step;
    double without_host_us, without_device_us; /* the step where the one takes no time: the smaller is what bounds it */
    enum price_bound bound;
};

/* What the script holds on the device at most. */
struct price_memory {
    int64_t peak_bytes; /* 0: not known */
    str place;          /* the line that reaches it */
};

struct prices {
    struct price *at; /* by cost where there is a price, else by time; those without an answer last */
    uint32_t count;
    double level, per_hour; /* 0: not given */
    struct price_memory memory;
};

/* The step of the source on each device. asked->plan.hardware is set here. A device without an answer is no failure. */
struct prices price_all(const struct predict_source *source, const struct predict_asked *asked,
                        const struct hardware *devices, uint32_t count, struct arena *arena);

void price_show(const struct prices *prices, struct report *report);

#endif
