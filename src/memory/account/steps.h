/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a training by the marks of a log or by its frames, as rows of events; and where optimizers began. */
#ifndef MEMORY_STEPS_H
#define MEMORY_STEPS_H

#include "common.h"

enum memory_step_source { STEPS_BY_NONE, STEPS_BY_RECORDING, STEPS_BY_OPTIMIZER, STEPS_BY_FRAMES, STEPS_BY_BACKWARD };

/* Events of the device with first <= row < end. */
struct memory_step {
    int64_t number, first, end;
};

struct memory_steps {
    enum memory_step_source source;
    str told_by; /* in words: "steps end with a backward" */
    struct memory_step *at;
    uint32_t count;
    int64_t *optimizer; /* rows from which on an optimizer is at work, ascending */
    uint32_t optimizers;
};

struct memory_steps memory_steps_of(const struct memory_common *common, uint16_t device, struct arena *arena);

/* Index of the step that the row lies in; MEMORY_NONE. */
uint32_t memory_step_at(const struct memory_steps *steps, int64_t row);

/* Whether an optimizer began behind `after` and before `before`. */
bool memory_optimizer_between(const struct memory_steps *steps, int64_t after, int64_t before);

#endif
