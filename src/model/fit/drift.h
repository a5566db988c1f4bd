/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some tables of measurements drift: what a lone call costs besides its work
 * grows from the first row to the last, on every device alike, whatever the
 * kernel. That is of the measuring, not of the kernels, and where a row stood in
 * its table is not known of a kernel that is to be predicted. So it is found and
 * taken out before fitting.
 */
#ifndef MODEL_DRIFT_H
#define MODEL_DRIFT_H

#include <stdint.h>

/*
 * By how much each row, in the order of the table, is above what is typical, microseconds: the weighted median of
 * measured - predicted over a stretch of rows, joined by straight lines. All 0 where there are too few rows to tell.
 */
void drift_of(const double *measured_us, const double *predicted_us, uint32_t rows, double *drift_us);

#endif
