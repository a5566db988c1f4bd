/* SPDX-License-Identifier: Apache-2.0 */
/* Whether each rank of a job holds all of the model: then all of them sum its gradients. */
#ifndef CLI_PRICE_SUMS_H
#define CLI_PRICE_SUMS_H

#include "price_run.h"

/* Gradients of half the bytes count, too: some are sent so. Who sums as much forwards sums no gradients. */
bool price_sums_gradients(const struct price_run *run, int64_t ranks);

#endif
