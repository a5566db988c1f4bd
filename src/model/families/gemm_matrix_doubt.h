/* SPDX-License-Identifier: Apache-2.0 */
/* How far off products on matrix units may be by their sort: by format, engine and size (family.h says what each is). */
#ifndef MODEL_GEMM_MATRIX_DOUBT_H
#define MODEL_GEMM_MATRIX_DOUBT_H

#include "ops/operators/kernel.h"

double matrix_shift(const struct kernel *kernel);
double matrix_doubt(const struct kernel *kernel);
double matrix_scatter(const struct kernel *kernel);
double matrix_versions(const struct kernel *kernel);

#endif
