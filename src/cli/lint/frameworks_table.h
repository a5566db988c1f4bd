/* SPDX-License-Identifier: Apache-2.0 */
/* `steptime rules frameworks`: what lint takes for granted of training frameworks. */
#ifndef CLI_FRAMEWORKS_TABLE_H
#define CLI_FRAMEWORKS_TABLE_H

#include "report/report.h"

void frameworks_show(struct report *report);

#endif
