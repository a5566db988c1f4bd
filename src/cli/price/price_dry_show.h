/* SPDX-License-Identifier: Apache-2.0 */
/* What a dry run stood in for, as a section of the report. */
#ifndef CLI_PRICE_DRY_SHOW_H
#define CLI_PRICE_DRY_SHOW_H

#include "dry/dry.h"
#include "predict/price/fit.h"
#include "report/report.h"

/* What it holds at most, by kind and line; what it takes beside that on a device (NULL: none is asked). */
void price_show_memory(const struct dry_memory *memory, const struct hardware *on, struct report *report);

/* Sentences beside the prices: ways and sizes that stand-ins chose are in no interval. */
void price_show_left_out(const struct dry_result *dry, struct report *report);

/* `shapes`: batches of certain shapes were asked for. */
void price_show_dry(const struct dry_result *dry, bool shapes, struct report *report);

#endif
