/* SPDX-License-Identifier: Apache-2.0 */
/* The public tables that are known, in the order in which they are tried. */
#include "fleet/job_format.h"

const struct job_format *const job_formats[] = {NULL};
const uint32_t job_format_count = 0;
