/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well coefficients are known: a standard deviation for each, on the scale that the search sees (of the logarithm
 * where the parameter's range is above 0, else of the value itself), which stands behind the value in data/models.
 *
 * Of a device: what its own rows leave open. The curvature of the fit says what they tell (rows beside each other in a
 * table are alike, so sixteen count as one), the parameter's spread what is known without them; a coefficient that the
 * rows do not move has its spread.
 *
 * Of devices together (all of them, or a vendor's): what another device may differ by. The parameter's spread counts as
 * five devices, and every measured one by how well it tells the coefficient.
 */
#ifndef MODEL_FIT_WIDTH_H
#define MODEL_FIT_WIDTH_H

#include "fit_coefficients.h"
#include "model/estimate/coefficients.h"

/* Of the rows that the coefficients were fitted to. */
void width_of_rows(const struct fitting *fitting, struct coefficient_set *set);

/* Of sets of devices around what was fitted to them together. */
void width_of_sets(const struct family *family, const struct coefficient_set *const *sets, uint32_t count,
                   struct coefficient_set *together);

#endif
