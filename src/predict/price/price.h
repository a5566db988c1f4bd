/* SPDX-License-Identifier: Apache-2.0 */
/* What a step takes, holds and costs on each of several devices, and what bounds it there. doc/numbers/price.md has the definitions. */
#ifndef PREDICT_PRICE_H
#define PREDICT_PRICE_H

#include "fit.h"
#include "predict/answer/predict.h"
#include "program/flops.h"
#include "report/report.h"

/* The host without the loading of data. */
enum price_bound { PRICE_BY_DEVICE, PRICE_BY_HOST, PRICE_BY_LOADING, PRICE_BOUNDS };

struct price {
    struct hardware hardware;
    str why; /* there is no answer for it; "": there is */
    struct prediction step;
    double without_us[PRICE_BOUNDS]; /* the step where that takes no time: the smallest is what bounds it */
    enum price_bound bound;
    double per_hour; /* of such a GPU, in whatever money; NaN: not known */
    struct fit fit;
};

/* What may be off besides, as means of the absolute error, shares: of a step's time, and of memory. */
struct price_doubt {
    double step, memory;
};

/* What loading the batches of a step takes, measured on this machine. Zeroed but `why` where it is not known. */
struct price_load {
    double batch_us; /* of one process; of several loaders the longest */
    double worked;   /* share of it that the process worked, at most 1; else it waited */
    double own_us,
        feed_us;     /* of a step: by the training thread itself; by workers, of the slowest loader, side by side */
    int64_t workers; /* of the slowest loader */
    str place,
        why; /* where it is asked for; why a loader is not known, rest of a sentence, "": all are, or there is none */
};

/* What a step of the script does, whatever the device. */
struct price_step {
    struct program_flops flops;
    int64_t samples, tokens; /* 0: not known */
    str samples_from;        /* what says so, as the rest of a sentence */
    struct price_load load;
    struct price_doubt doubt; /* zeroed where it was run dry */
    const struct dry_lives *lives;
    struct allocator_peak peak; /* of them, on a device without bound */
};

/* The price of an hour of a device: `of` is asked for each; NaN: not known. */
struct price_list {
    double (*of)(const void *context, const struct hardware *hardware);
    const void *context;
    bool any; /* there is one at all: people are told of money */
};

struct prices {
    struct price *at; /* by cost where that is known, else by time; those without an answer last */
    uint32_t count;
    double level;
    bool priced; /* there is a list of prices, or one for all */
    const struct price_step *step;
};

/* The step of the source on each device. asked->plan.hardware is set here. A device without an answer is no failure. */
struct prices price_all(const struct predict_source *source, const struct predict_asked *asked,
                        const struct price_step *step, const struct price_list *list, const struct hardware *devices,
                        uint32_t count, struct arena *arena);

/* One of them, for who changes something. */
void price_one(const struct predict_source *source, const struct predict_asked *asked, const struct price_step *step,
               const struct hardware *hardware, struct price *price, struct arena *arena);

/* FLOPs of the step over what the peaks of their precisions would do in its time; NaN where a peak is not known. */
double price_utilisation(const struct price_step *step, const struct price *price);

/* A step's money at the price of its device; NaN. */
double price_cost(const struct price *price);

void price_show(const struct prices *prices, struct report *report);

/* A table of the operators that the FLOPs are of, and why samples are not known where they are not. */
void price_show_step(const struct price_step *step, struct report *report);

/* Nothing where no loader hands out batches. */
void price_show_load(const struct price_load *load, struct report *report);

#endif
