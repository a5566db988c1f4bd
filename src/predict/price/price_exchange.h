/* SPDX-License-Identifier: Apache-2.0 */
/* What the communication of a job costs a step of its first rank. doc/numbers/price.md has the definitions. */
#ifndef PREDICT_PRICE_EXCHANGE_H
#define PREDICT_PRICE_EXCHANGE_H

#include "fit.h"
#include "predict/answer/predict.h"
#include "report/report.h"

/* Collectives of one kind, size and group, in a step. */
struct price_collective {
    struct kernel kernel;
    uint32_t times;
    double us; /* of all of them */
    enum estimate_basis basis;
    str model, from;
};

struct price_exchange {
    const struct price_collective *at; /* the longest first */
    uint32_t count, times;
    double bytes;      /* of all messages */
    double us;         /* of all of them, one after the other */
    double exposed_us; /* by so much the step is shorter where they take no time */
    double exposed_low_us,
        exposed_high_us; /* between which that lies, by what their estimates may be off; -1: not asked */
    double waiting_us;   /* of a pipeline: what its first stage waits for the others; in the step and in exposed_us */
};

/* Of the step as `asked` has it, which takes step_us. */
bool price_exchange_of(const struct predict_source *source, const struct predict_asked *asked, double step_us,
                       struct arena *arena, struct price_exchange *exchange, struct steptime_error *err);

/* What torch.compile is taken to make of a step: operators that it has, kernels that are left of them. 0: nothing is compiled. */
struct price_compiled {
    uint32_t operators, kernels;
};
bool price_compiled_of(const struct predict_source *source, const struct predict_asked *asked,
                       struct price_compiled *compiled, struct steptime_error *err);
void price_compiled_show(const struct price_compiled *compiled, struct report *report);

/* A job of so many ranks on a device. */
struct price_job {
    int64_t ranks;
    str device, why; /* why there is no answer; "" */
    double step_us, step_low_us, step_high_us;
    struct price_exchange exchange;
    int64_t peak_bytes; /* of the first rank; 0: not known */
    struct fit fit;     /* of it: as in the table of devices */
    const struct hardware *hardware;
};

/* The first of them is what scaling is told against, for its device. */
void price_jobs_show(const struct price_job *jobs, uint32_t count, struct report *report);

#endif
