/* SPDX-License-Identifier: Apache-2.0 */
/* A population of jobs: where their time goes, and what they would gain elsewhere. */
#include <stdio.h>

#include "base/error.h"
#include "base/format.h"
#include "text/suggest.h"
#include "cli/program/call.h"
#include "parallel/crew.h"
#include "fleet_command.h"
#include "cli/program/output.h"

extern const struct command command_fleet;

static const struct verb {
    const char *word;
    bool (*run)(const struct call *call, struct steptime_error *err);
    bool shared;       /* several processes may share its table */
    const char *takes; /* its own options, between blanks; those of output are of all */
} verbs[] = {{"features", fleet_features, false, " "},
             {"breakdown", fleet_breakdown, true,
              " hw set overlap pcie-share efficiency measured group-by jobs strict threads "},
             {"project", fleet_project, true,
              " hw at to set traffic sweep overlap pcie-share efficiency measured published group-by jobs strict "
              "threads "},
             {"fit", fleet_fit, false, " hw set overlap pcie-share efficiency measured group-by strict threads "},
             {"stragglers", fleet_stragglers, false, " steps skip-warmup "}};
enum { VERBS = sizeof verbs / sizeof *verbs };

static bool may_share(const struct verb *verb, struct steptime_error *err)
{
    return verb->shared || crew_ours()->count == 1 ||
           fail(err, STEPTIME_USAGE, "fleet %s is for one process: run it with steptime", verb->word);
}

static bool takes(const struct verb *verb, const struct option *option)
{
    char word[32];
    format_text(word, sizeof word, " %s ", option->name);
    return strstr(verb->takes, word) != NULL;
}

/* An option of another verb would be passed over in silence, and the answer be to another question. */
static bool takes_all(const struct verb *verb, const struct call *call, struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->given_count; i++)
        for (const struct option *own = command_fleet.options; own->name; own++)
            if (own == call->given[i].option && !takes(verb, own))
                return fail(err, STEPTIME_USAGE, "fleet %s takes no --%s", verb->word, own->name);
    return true;
}

static const struct verb *verb_of(const char *word)
{
    for (int i = 0; i < VERBS; i++)
        if (!strcmp(word, verbs[i].word))
            return &verbs[i];
    return NULL;
}

static bool no_verb(const char *word, struct steptime_error *err)
{
    struct suggestion near = suggest(str_of(word));
    for (int i = 0; i < VERBS; i++)
        suggest_offer(&near, str_of(verbs[i].word));
    if (*word && suggest_found(&near))
        return fail(err, STEPTIME_USAGE, "fleet has no '%s'; did you mean 'fleet %.*s'?", word, (int)near.best.len,
                    near.best.at);
    return fail(err, STEPTIME_USAGE, "fleet features, fleet breakdown, fleet project, fleet fit or fleet stragglers?");
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    const char *word = call_argument_count(call) ? call_argument(call, 0) : "";
    if (!output_check(call, err))
        return err->code;
    const struct verb *verb = verb_of(word);
    const bool good =
        verb ? may_share(verb, err) && takes_all(verb, call, err) && verb->run(call, err) : no_verb(word, err);
    return good ? STEPTIME_OK : err->code;
}

static const struct option options[] = {
    {"hw", 0, "NAME|FILE", NULL,
     "breakdown: all jobs run on it, whatever their rows say. project: they move to it. A name of 'steptime hw', a file, "
     "or 'paper': 11 TFLOP/s, 1 TB/s, PCIe 10 GB/s, Ethernet 25 Gb/s, NVLink 50 GB/s, 70 % of each; in project then "
     "what jobs run on now too."},
    {"at", 0, "NAME|FILE", NULL,
     "project: what all jobs run on now. Default: what their rows name, else --hw as it is."},
    {"to", 0, "ARCHITECTURE", NULL, "project: jobs move to this training architecture."},
    {"set", 0, "KEY=VALUE", NULL,
     "Another figure: ethernet=100Gbps, pcie=50GB/s, nvlink=300GB/s, flops=64TFLOPS, memory=4TB/s, efficiency=60%, "
     "efficiency.ethernet=80%, pcie_share=4. In project it is of where jobs move to. May come several times."},
    {"traffic", 0, "WHICH", "same|weights",
     "project: the weight traffic there is that of here (same; with --hw paper), or what follows from the stored weights "
     "where a job has them (weights; otherwise)."},
    {"sweep", 0, "KEY=VALUES", NULL,
     "project: the same along the values of a figure of --set: ethernet=10..400Gbps doubles, flops=8,16,32TFLOPS is a "
     "list, overlap=0..1 has equal steps. May come several times."},
    {"overlap", 0, "SHARE", NULL,
     "How much of input and weights passes while the GPU computes: none (default), ideal, or a share like 50%."},
    {"pcie-share", 0, NULL, NULL, "The replicas of a server share its PCIe."},
    {"efficiency", 0, "LINK=FILE", NULL,
     "Share of a link's rate by size of message and number of servers, from a table: ethernet=nic_ratio.csv."},
    {"measured", 0, NULL, NULL,
     "Fit the efficiencies of --hw (in project of --at, or of --hw paper) to the jobs that have a measured_ms, and say how "
     "far off the model is with them, on jobs that it was not fitted on too. The table is read twice. fit: fit how steps "
     "grow with the workers to them."},
    {"published", 0, "FILE", NULL,
     "project: published figures of the population, as examples/fleet/published.csv has them. Beside each answer come the "
     "least and the most that any population with these figures can give, and beside each figure what the table has."},
    {"group-by", 0, "COLUMN", NULL,
     "By the values of a column of the table too, whatever column it is. fit: the column that names a job's model; default: "
     "model."},
    {"jobs", 0, NULL, NULL, "The table jobs, of one row a job, even if there are more than 100,000."},
    {"strict", 0, NULL, NULL, "Stop at the first row that makes no sense, with code 3, instead of dropping it."},
    {"threads", 0, "N", NULL, "Use at most N cores. Default: all."},
    {"steps", 0, "A..B", NULL, "stragglers: look at these steps of the traces only: 2..5, 2.., ..5 or 3."},
    {"skip-warmup", 0, NULL, NULL, "stragglers: leave out the first recorded step of each trace."},
    {0},
};

const struct command command_fleet = {
    .name = "fleet",
    .arguments = "features|breakdown|project|fit|stragglers TABLE|TRACE...",
    .brief = "where the time of a cluster's jobs goes, and what they would gain elsewhere",
    .about =
        "An analytical model splits the step of a job into input, compute-bound and memory-bound work, and weights and "
        "gradients on their way, for each training architecture (Wang et al., IISWC 2019): over one job or a hundred "
        "million.\n\nTABLE is CSV with a header, columns in any order, or JSON lines, packed or not, or - for standard "
        "input: a row a job, with job, architecture, cnodes, batch, and for a step of one cNode input_bytes, flops, "
        "memory_bytes, weight_bytes; then dense_weight_bytes, embedding_weight_bytes, gpu, network, measured_ms, "
        "duration_s. Public tables are read as they are: PAI 2020, Muri, Pollux, Philly, Acme, AICB, SimAI. A row that "
        "makes no sense is dropped, with its line, and counted.\n\nArchitectures: 1w1g, 1wng, ps-worker, "
        "allreduce-local, "
        "allreduce-cluster, pearl; data-parallel, zero1, zero2, fsdp, tensor-parallel, pipeline-parallel, "
        "expert-parallel.\n\nbreakdown: the parts of all jobs, by job, by GPU and by GPU-time, and by "
        "architecture.\n\nproject: each job's speed-up on another architecture or hardware, and its new "
        "bottleneck.\n\nfit: from jobs measured at several numbers of workers (alone_ms: the step of one alone), what makes "
        "steps grow with them, and how far off steps of models are that it was not fitted to.\n\nfeatures: such a table from traces; a folder of ranks is one job.\n\nstragglers: what slow "
        "operations and slow workers cost one job, by what-if; from its ranks' traces or a table of operations.",
    .examples = "steptime fleet breakdown jobs.csv --hw paper|where the time goes\n"
                "steptime fleet breakdown jobs.csv.gz --group-by team --format html -o fleet.html|a page with curves\n"
                "steptime fleet project jobs.csv --hw paper --to allreduce-local|who gains from NVLink servers\n"
                "steptime fleet project jobs.csv --hw paper --set ethernet=100Gbps|and from a faster network\n"
                "steptime fleet project jobs.csv --at V100 --hw H100 --sweep overlap=0..1|other GPUs\n"
                "steptime fleet fit jobs.csv --measured --hw paper|how steps grow with the workers\n"
                "steptime fleet features cluster/* --format csv -o jobs.csv|a table from folders of traces\n"
                "steptime fleet stragglers job/|who holds the others up\n"
                "steptime fleet stragglers job/ --steps 4..7|in four steps",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
