/* SPDX-License-Identifier: Apache-2.0 */
/* --device: whose peaks stand beside what was attained, the same in every command with SHARED_PEAKS. */
#ifndef CLI_PEAKS_OPTION_H
#define CLI_PEAKS_OPTION_H

#include "breakdown/kernels/kernels_peaks.h"
#include "cli/program/command.h"

/* An analysis' check: the name must be in the catalogue. */
static inline bool peaks_option_check(const struct call *call, struct steptime_error *err)
{
    return peaks_check(call_str(call, "device", ""), err);
}

#endif
