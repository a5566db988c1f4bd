/* SPDX-License-Identifier: Apache-2.0 */
/* A step in which some operators are done twice: what checkpointed modules cost. */
#ifndef PREDICT_PRICE_AGAIN_H
#define PREDICT_PRICE_AGAIN_H

#include "predict/answer/predict.h"

/* Operators by their ids: from the one to the other, both outside. */
struct again_span {
    int64_t begin, end;
};

struct again {
    const struct again_span *spans; /* ascending, apart from each other */
    uint32_t count;
};

/* A predict_asked.change whose context is a struct again: operators at the top within a span take twice as long, host and device. */
bool again_change(const void *again, struct plan *plan, struct arena *arena, struct steptime_error *err);

#endif
