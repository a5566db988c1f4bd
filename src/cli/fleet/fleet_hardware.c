/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "base/error.h"
#include "text/suggest.h"
#include "cli/program/call.h"
#include "parallel/crew.h"
#include "fleet_command.h"

bool fleet_cluster(str name, struct arena *arena, struct cluster *cluster, struct steptime_error *err)
{
    struct hardware hardware;
    if (str_eq(name, S("paper"))) {
        *cluster = cluster_paper();
        return true;
    }
    struct suggestion near = suggest(name);
    suggest_offer(&near, S("paper"));
    if (suggest_found(&near))
        return fail(err, STEPTIME_USAGE, "there is no hardware '%.*s'; did you mean 'paper'?", (int)name.len, name.at);
    return hardware_find(name, arena, &hardware, err) && cluster_of_hardware(&hardware, arena, cluster, err);
}

static bool read_efficiency(struct cluster *cluster, const char *text, struct arena *arena, struct steptime_error *err)
{
    str path = str_of(text), word;
    if (!str_cut(&path, '=', &word) || !path.len)
        return fail(err, STEPTIME_USAGE, "--efficiency is LINK=FILE, like ethernet=nic_ratio.csv, not '%s'", text);
    for (int i = RESOURCE_HOST_LINK; i < RESOURCES; i++)
        if (str_eq(resource_word((enum resource)i), word))
            return cluster_read_efficiency(cluster, (enum resource)i, str_z(arena, path), arena, err);
    return fail(err, STEPTIME_USAGE, "--efficiency: '%.*s' is none of pcie, nvlink, ethernet", (int)word.len, word.at);
}

/* One option of the command line, if it is about the cluster. */
static bool apply_option(const struct given *given, bool sets, struct cluster *cluster, struct arena *arena,
                         struct steptime_error *err)
{
    const char *name = given->option->name;
    if (!strcmp(name, "efficiency"))
        return read_efficiency(cluster, given->value, arena, err);
    if (!strcmp(name, "overlap"))
        return cluster_set(cluster, str_printf(arena, "overlap=%s", given->value), err);
    if (!strcmp(name, "pcie-share"))
        cluster->host_link_is_shared = true;
    return !sets || strcmp(name, "set") || cluster_set(cluster, str_of(given->value), err);
}

bool fleet_change(const void *context, struct cluster *cluster, struct arena *arena, struct steptime_error *err)
{
    const struct fleet_changes *changes = context;
    for (uint32_t i = 0; i < changes->call->given_count; i++)
        if (!apply_option(&changes->call->given[i], changes->sets, cluster, arena, err))
            return false;
    if (changes->resource >= 0)
        cluster->rate[changes->resource] *= 2;
    return !changes->setting.len || cluster_set(cluster, changes->setting, err);
}

bool fleet_measured(const struct call *call, const struct job_table_asked *table, struct cluster *cluster, bool given,
                    struct arena *arena, struct measured *measured, bool *fitted, struct steptime_error *err)
{
    *fitted = call_flag(call, "measured");
    if (!*fitted)
        return true;
    if (!given)
        return fail(
            err, STEPTIME_USAGE,
            "--measured fits one kind of hardware: say what all jobs run on, breakdown with --hw, project with --at");
    if (crew_ours()->count > 1)
        return fail(err, STEPTIME_USAGE, "--measured fits in one process alone");
    if (!measured_fit(table, cluster, arena, measured, err))
        return false;
    *cluster = measured->fit.cluster;
    return true;
}

void fleet_progress(struct job_table_asked *table, struct progress *progress, struct arena *arena)
{
    struct stat file;
    const bool known = strcmp(table->path, "-") && !stat(table->path, &file) && S_ISREG(file.st_mode);
    progress_begin(progress, "tables", 1, known ? file.st_size : 0, arena);
    table->read_bytes = progress->bytes;
}

bool fleet_table(const struct call *call, struct job_table_asked *table, struct steptime_error *err)
{
    if (call_argument_count(call) != 2)
        return fail(err, STEPTIME_USAGE, "one table of jobs, please: a file, or - for standard input");
    const char *group = call_text(call, "group-by");
    int64_t threads;
    if (!call_count(call, "threads", 1, FLEET_THREADS, 0, &threads, err))
        return false;
    *table = (struct job_table_asked){
        .path = call_argument(call, 1),
        .group_by = group ? str_of(group) : S(""),
        .strict = call_flag(call, "strict"),
        .threads = (unsigned)threads,
        .share = crew_ours()->rank,
        .shares = crew_ours()->count,
    };
    return true;
}
