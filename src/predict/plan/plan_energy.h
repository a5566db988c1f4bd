/* SPDX-License-Identifier: Apache-2.0 */
/* What the device work of a plan draws beyond a board that has next to nothing to do. */
#ifndef PREDICT_PLAN_ENERGY_H
#define PREDICT_PLAN_ENERGY_H

#include "model/estimate/energy.h"
#include "plan.h"

/*
 * Adds `share` of all work that is there. Kernels are found from shapes, whatever their time comes from, and draw what they do
 * in that time; of work without known kernels the watts lie anywhere between little and all. False where the power of the
 * hardware is not known: then nothing is added.
 */
bool plan_energy(const struct plan *plan, const struct models *models, const struct hardware *hardware, double share,
                 struct energy_sum *sum);

#endif
