/* SPDX-License-Identifier: Apache-2.0 */
/* What no experiment may save, whatever is taken away together: held over every trace at hand. */
#include <glob.h>
#include <stdlib.h>

#include "base/span.h"
#include "breakdown/verdict/spent.h"
#include "read/read.h"
#include "unit/graph/graph_case.h"
#include "unit/shared_data.h"

/* What keeps the device waiting: all that the threads of the host spend. */
static bool is_of_threads(enum resource resource)
{
    return resource != RESOURCE_DEVICE && resource != RESOURCE_COMMUNICATION && resource != RESOURCE_NONE &&
           resource != RESOURCE_COPIES;
}

static int64_t saved_without_threads(const struct lab *lab, const struct spending *spending, int64_t *time_ns)
{
    const struct net *net = &lab->joined.net;
    for (uint32_t node = 0; node < net->count; node++)
        memset(lab_works(lab, node), 0, ABREAST * sizeof(int64_t));
    for (size_t i = 0; i < spending->count; i++) {
        const struct spent *spent = &spending->at[i];
        if (is_of_threads(spent->resource))
            *time_ns += spent->ns; /* of a node that began before the steps all of it: a little more than may count */
        else
            for (int run = 0; run < ABREAST; run++)
                lab_works(lab, spent->node)[run] += spent->ns;
    }
    int64_t saved_ns[ABREAST];
    lab_save(lab, &lab->judged, 0, saved_ns);
    return saved_ns[0];
}

/* The stream that works longest within the judged steps. */
static int64_t busiest_ns(const struct lab *lab)
{
    const struct trace *trace = lab->graph->trace;
    const int64_t from = lab->judged.steps.from_ns, until = from + lab->judged.as_is_ns;
    int64_t most = 0;
    for (uint32_t lane = 0; lane < trace->lane_count; lane++) {
        struct spans busy = {0};
        const struct rows rows = trace->lanes[lane].device ? trace_rows(trace, lane, NEST_WORK) : (struct rows){0};
        for (uint32_t i = 0; i < rows.count; i++) {
            const int64_t start = trace->start_ns[rows.at[i]], end = trace_end_ns(trace, rows.at[i]);
            if (end > from && start < until)
                spans_add(&busy, start > from ? start : from, end < until ? end : until);
        }
        spans_tidy(&busy);
        int64_t ns = 0;
        for (size_t i = 0; i < busy.count; i++)
            ns += busy.at[i].end_ns - busy.at[i].start_ns;
        most = ns > most ? ns : most;
        spans_free(&busy);
    }
    return most;
}

static void check_trace(const struct trace *trace, const char *path)
{
    struct arena arena = {0};
    const struct work_classes *classes = work_classes_new(trace, &arena);
    const struct selection selection = {.first = INT64_MIN, .last = INT64_MAX};
    struct graph *graph = graph_new(trace, classes);
    const struct lab *lab = lab_open(graph, classes, &selection, &arena);
    struct spending spending = spending_of(lab, lab->judged.steps.from_ns);
    int64_t time_ns = 0;
    const int64_t saved = saved_without_threads(lab, &spending, &time_ns), all = lab->judged.as_is_ns;
    const int64_t slack = all / 200 + 1000;
    if (saved < 0 || saved > all)
        fail_msg("%s: saves %lld of %lld", path, (long long)saved, (long long)all);
    if (saved > time_ns + slack)
        fail_msg("%s: saves %lld, they take %lld", path, (long long)saved, (long long)time_ns);
    if (saved > all - busiest_ns(lab) + slack)
        fail_msg("%s: saves %lld, a stream is busy %lld of %lld", path, (long long)saved, (long long)busiest_ns(lab),
                 (long long)all);
    spending_free(&spending);
    graph_free(graph);
    arena_free(&arena);
}

static void check_files(const char *pattern, size_t *seen)
{
    glob_t files;
    if (glob(pattern, 0, NULL, &files) != 0)
        return;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct trace *trace = trace_read(files.gl_pathv[i], NULL, NULL);
        if (!trace)
            continue; /* of another kind */
        check_trace(trace, files.gl_pathv[i]);
        trace_free(trace);
        ++*seen;
    }
    globfree(&files);
}

/* Host, loading, stalls and start-up together save no more than they take, and nothing of what a stream works. */
static void threads_together_save_no_more_than_they_take(void **state)
{
    const char *source = getenv("STEPTIME_SOURCE");
    if (!source)
        skip();
    struct arena scratch = {0};
    size_t seen = 0;
    check_files(str_printf(&scratch, "%s/tests/data/recorded/*.json.gz", source).at, &seen);
    check_files(str_printf(&scratch, "%s/tests/data/planted/*/*.json.gz", source).at, &seen);
    assert_true(seen > 0);
    check_files(shared_data("traces/kineto/*.json.gz"), &seen);
    check_files(shared_data("traces/multirank/*/*.json.gz"), &seen);
    check_files(shared_data("traces/producers/*.json.gz"), &seen);
    arena_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_together_save_no_more_than_they_take)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
