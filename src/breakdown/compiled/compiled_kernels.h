/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that Inductor wrote, by the lines that they come from. */
#ifndef BREAKDOWN_COMPILED_KERNELS_H
#define BREAKDOWN_COMPILED_KERNELS_H

#include "compiled.h"

void compiled_kernels_show(const struct compile_log *log, const struct compiled_trace *const *traces, uint32_t count,
                           struct section *section, struct report *report);

#endif
