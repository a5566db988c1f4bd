/* SPDX-License-Identifier: Apache-2.0 */
/* What jobs are taken to run on, figure by figure, with where each comes from and what was assumed. */
#ifndef FLEET_CLUSTER_SHOW_H
#define FLEET_CLUSTER_SHOW_H

#include "cluster.h"
#include "report/report.h"

/* A section and a table of that id. */
void cluster_show(const struct cluster *cluster, const char *id, const char *title, struct report *report);

#endif
