/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of `steptime fleet`, and the hardware that their options ask for. */
#ifndef CLI_FLEET_COMMAND_H
#define CLI_FLEET_COMMAND_H

#include "cli/program/command.h"
#include "fleet/table/job_table.h"
#include "fleet/table/machines.h"
#include "fleet/measured/measured.h"
#include "cli/program/progress.h"

bool fleet_breakdown(const struct call *call, struct steptime_error *err);
bool fleet_project(const struct call *call, struct steptime_error *err);
bool fleet_fit(const struct call *call, struct steptime_error *err);
bool fleet_features(const struct call *call, struct steptime_error *err);
bool fleet_stragglers(const struct call *call, struct steptime_error *err);

/* What is changed of a cluster: the words of the command line, and one setting more. */
struct fleet_changes {
    const struct call *call;
    bool sets;    /* --set, --overlap, --pcie-share */
    str setting;  /* "ethernet=100Gbps", of a sweep; "" */
    int resource; /* made twice as fast; -1: none */
};

/* A machine_changes over struct fleet_changes. Tables of efficiency are always read. */
bool fleet_change(const void *changes, struct cluster *cluster, struct arena *arena, struct steptime_error *err);

/* "paper", or a device of the catalogue or a file; as it is. */
bool fleet_cluster(str name, struct arena *arena, struct cluster *cluster, struct steptime_error *err);

/*
 * --measured: the cluster with the efficiencies that the measured jobs of the table have; *fitted says whether. False with
 * *err, also where no cluster is given for all.
 */
bool fleet_measured(const struct call *call, const struct job_table_asked *table, struct cluster *cluster, bool given,
                    struct arena *arena, struct measured *measured, bool *fitted, struct steptime_error *err);

/* Shows how far the reading of a table is, from here to progress_end. */
void fleet_progress(struct job_table_asked *table, struct progress *progress, struct arena *arena);

/* The table that the call names, with --group-by, --strict and --threads; this process's share of it. */
bool fleet_table(const struct call *call, struct job_table_asked *table, struct steptime_error *err);

#endif
