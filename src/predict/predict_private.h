/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a prediction, for the files that make it. */
#ifndef PREDICT_PREDICT_PRIVATE_H
#define PREDICT_PREDICT_PRIVATE_H

#include "predict/predict.h"

/* Predicts each step from the one beside it, and fills from_beside_us, error, bias and tests. */
bool test_steps(const struct predict_source *source, const struct predict_asked *asked, struct predicted_step *steps,
                struct prediction *into, struct steptime_error *err);

/* The operators without which a step would be the most shorter: of the step in the middle. */
bool find_top(const struct predict_source *source, const struct predict_asked *asked, const struct overheads *overheads,
              struct arena *arena, struct prediction *into, struct steptime_error *err);

#endif
