/* SPDX-License-Identifier: Apache-2.0 */
/* What the columns of a command mean, told where it has no input that would show its tables: doc/numbers/columns.md. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "report/report.h"

/* Puts the tables of the command ("summary", "fleet breakdown") into the report, without rows. False: the page has none of it. */
bool columns_put(str command, struct report *report);

#endif
