/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a form leaves over of kernels even where it was fitted to all rows of a device, as a standard deviation of ln time.
 * No other coefficients explain it, and no few rows take it away.
 */
#ifndef MODEL_MISFIT_H
#define MODEL_MISFIT_H

#include "coefficients.h"

/* Of the group's measured devices, nothing learned; 0: not told. */
double misfit_of_form(const struct group_model *group);

/* What tables of measured devices leave over, each as it was measured, with what was learned of it; their mean. */
double left_by_devices(const struct group_model *group);

/*
 * Of a device that a few rows are shown of: that of the form, or with a sibling's residual what that leaves, which `own` is
 * then; at most what a kernel has for its own. `differs`: how much it differs from one measured device to the next, as a
 * standard deviation of its logarithm.
 */
double misfit_of_carried(const struct group_model *group, double own, bool learned, double *differs);

#endif
