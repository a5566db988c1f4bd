/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what `fleet` reads: settings, a measured table of efficiency, a table of jobs. Whatever they set, every
 * job that is taken has finite times, here and elsewhere.
 */
#include <assert.h>
#include <math.h>

#include "fleet/table/job_table.h"
#include "fleet/project/project.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { SETTINGS = 64 };

static void check_cluster(const struct cluster *cluster)
{
    for (int r = 0; r < RESOURCES; r++) {
        assert(cluster->rate[r] >= 1 || r == RESOURCE_GPU_LINK);
        assert(isfinite(cluster->rate[r]) && cluster->efficiency[r] > 0 && cluster->efficiency[r] <= 1);
        for (double bytes = 1; bytes < 1e18; bytes *= 1e3) {
            const double share = cluster_efficiency(cluster, (enum resource)r, bytes, bytes);
            assert(share > 0 && share <= 1);
        }
    }
    assert(cluster->overlap >= 0 && cluster->overlap <= 1);
}

static void set_all(struct cluster *cluster, str text)
{
    str line;
    for (int i = 0; i < SETTINGS && text.len && str_cut(&text, '\n', &line); i++)
        cluster_set(cluster, line, NULL);
    check_cluster(cluster);
}

/* ---- jobs ---- */

static void *begin(void *context, unsigned thread)
{
    return context;
}

static bool join(void *context, void *block, struct steptime_error *err)
{
    return true;
}

static const char *check_job(void *context, void *block, const struct job *job, uint64_t line)
{
    const struct cluster *cluster = context;
    const struct job_step step = job_step(job, cluster);
    assert(job->lacks_amounts || (isfinite(step.step_ms) && step.step_ms >= 0));
    for (int to = 0; to < ARCHITECTURES; to++) {
        const struct target target = {
            .moves = true, .architecture = (enum architecture)to, .traffic_of_weights = to % 2, .cluster = *cluster};
        const struct projected projected = job_project_from(job, &step, cluster, &target);
        assert(projected.obstacle || isfinite(projected.after.step_ms));
        assert(isnan(projected.speedup) || projected.speedup >= 0);
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = {0};
    struct cluster cluster = cluster_paper();
    const char *path = memory_file(bytes, size);
    set_all(&cluster, (str){(const char *)bytes, size});
    if (cluster_read_efficiency(&cluster, RESOURCE_NETWORK, path, &arena, NULL))
        check_cluster(&cluster);
    const struct job_table_asked asked = {.path = path, .group_by = S("team"), .threads = 1};
    const struct job_visitor visitor = {.context = &cluster, .begin = begin, .row = check_job, .join = join};
    struct job_table_result result = {0};
    (void)job_table_read(&asked, &visitor, &arena, &result, NULL);
    arena_free(&arena);
    return 0;
}
