/* SPDX-License-Identifier: Apache-2.0 */
/* --check TRACE: the first real trace of a script that was priced against what was said of it. */
#ifndef CLI_PRICE_CHECK_H
#define CLI_PRICE_CHECK_H

#include "price_run.h"

struct price_recorded {
    struct trace *trace;
    str device; /* as recorded; "" */
};

/* Before the script is run dry: a trace without work of a device is refused. trace_free in the end. */
bool price_check_read(const char *path, struct price_recorded *recorded, struct steptime_error *err);

/*
 * Its step in the middle, of those by time, against the run on that device; with --kernels they are written. False with
 * *err where nothing can be said of it.
 */
bool price_check_show(const struct call *call, const struct price_asked *asked, const struct price_run *run,
                      const struct price *price, const struct price_recorded *recorded, struct report *report,
                      struct steptime_error *err);

#endif
