/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where one form stands for all devices: what each measured device of the kind would say by its own coefficients, launch
 * figures of its host among them. Leaving one out does not tell them apart, so what they differ by is doubt: wide where
 * coefficients differ that decide at this size (a launch, a latency), narrow where all agree.
 */
#ifndef MODEL_ENSEMBLE_H
#define MODEL_ENSEMBLE_H

#include "coefficients.h"

/* Whether a group has one: it is carried by one form, and two devices were measured. */
bool ensemble_of(const struct group_model *group);

/*
 * Of a kind are devices of a vendor; of what goes over links those with links of their own, or those without. True where
 * less than two of the device's kind were measured: from one nothing is known of how a kind differs.
 */
bool few_of_kind(const struct group_model *group, const struct hardware *hardware);

/*
 * The root mean square of ln(what a member says / us): those of the device's kind. All, where none is; and of what goes
 * over links where one is, for that one is a machine, whose host and switches another does not have.
 */
double ensemble_spread(const struct family *family, const struct group_model *group, const struct hardware *hardware,
                       const struct kernel *kernel, double us);

#endif
