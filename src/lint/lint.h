/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From paths to findings: files are collected, read and parsed, their source is
 * analysed as one project, the rules run over each, comments and configuration
 * are heeded, and what is left is a list of findings in the order of the files.
 * The evidence of traces is joined to it afterwards (room join); without one every
 * finding is of tier static.
 *
 * Work is spread over the cores and the result does not depend on it.
 */
#ifndef LINT_LINT_H
#define LINT_LINT_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/map.h"
#include "config.h"
#include "rules/families/rules.h"
#include "steptime/error.h"

struct report;

/* A file that could be used; files that could not are remarks. Its number is that of the file in the project. */
struct lint_file {
    str path;                        /* as it was named, or found below a folder that was named */
    str text;                        /* of a notebook its program */
    const struct notebook *notebook; /* NULL of other files */
    const struct syntax *tree;
    const struct config *config;
    uint64_t selected;      /* bit i: rules[i] was asked for */
    struct matches matches; /* all of them, suppressed ones too */
    const str *suppressed;  /* of each match why it is silenced; .at is NULL where it is not */
};

/* What was wrong with a file, or with a comment in it. */
struct lint_remark {
    str path;
    int64_t line; /* 0: unknown */
    str message;
    uint32_t cell; /* of a notebook, in which the line stands; 0: none */
};

enum tier { TIER_STATIC, TIER_FUNCTION, TIER_CONFIRMED, TIER_TRACE, TIER_DRY };

/* A line at which the analysis met a limit: what follows from there it does not know, and so says nothing of. */
struct lint_limit {
    const struct limit *limit;
    str path;
    int64_t line;
    uint32_t cell; /* as that of a remark */
};

/* What a trace or a dry run says of the weight of a finding. */
enum judged {
    JUDGED_NOT,
    JUDGED_UNSEEN, /* its function ran without a copy or a wait: a note */
    JUDGED_AWAY,   /* a dry run shows that this run does not come to it, or that nothing is gained there: a note */
    JUDGED_SEEN,   /* it copies or waits in the steps: a warning, where that was all that was missing */
};

/* What a rewrite spares a step, below 0: costs it; with its 95 % interval. */
struct lint_estimate {
    bool is_known;
    double ns, low_ns, high_ns;
    double step_ns; /* the step that it is of */
};

/* What a dry run shows of a link of a finding's proof; it takes the place of what the source says. */
struct lint_told {
    enum holds holds;
    str text; /* "": nothing */
    str path; /* a place that shows it; "" */
    int64_t line;
    str what; /* stands there */
};

/* A match that counts, and what a trace says of it. */
struct lint_finding {
    const struct match *match; /* NULL of a finding that only the trace shows */
    enum tier tier;
    enum judged judged;
    int64_t host_blocked_ns, saving_ns; /* a step; -1: unknown */
    const struct lint_told *told;       /* of a dry run, LINKS of them; NULL */
    struct lint_estimate estimate;      /* of a trace without a device, which may say that the rewrite costs time */
    str note;                           /* a sentence about the evidence, to follow the message; "" */
    const uint32_t *events;             /* rows of the trace; NULL */
    uint32_t event_count;
    /* of a finding without a match */
    str rule, file, message;
    int64_t line;
};

/* A text to take in the place of what a file holds. */
struct lint_overlay {
    str path, text;
};

enum { LINT_FILE_BYTES = 8 << 20 }; /* more is no source that people wrote */

struct lint_options {
    const char *const *paths;
    uint32_t path_count;
    const char *select, *ignore;         /* --select, --ignore: patterns with commas; NULL: as configured */
    const char *config;                  /* a pyproject.toml to take; NULL: the nearest above each path */
    const char *output;                  /* a file that will be written, and so cannot be read; NULL: none */
    const char *baseline;                /* the same of --write-baseline */
    bool unused;                         /* remark on suppressions that suppress nothing */
    unsigned threads;                    /* 0: one a core */
    bool serves;                         /* the program looks again and again, and should outlive each look (guard.h) */
    const struct lint_overlay *overlays; /* by path; may be NULL */
    uint32_t overlay_count;
    const struct lint_overlay *standard_input; /* what the path "-" stands for, under this path; NULL */
    /* Called once, when it is known how many files there are; may be NULL. */
    void (*begin)(void *context, uint32_t files);
    void *context;
    atomic_uint *done; /* files so far; may be NULL */
};

struct lint {
    struct lint_file *files; /* by path */
    uint32_t file_count;
    uint32_t skipped_count;  /* files that could not be used */
    uint32_t unparsed_count; /* of the files, those of which a part does not parse */
    uint32_t excluded_count;
    struct project *project;
    struct map mentioned;          /* what the project's options point to, as long as it is asked (mentioned.h) */
    struct lint_finding *findings; /* in the order of files and places, until they are ranked */
    uint32_t finding_count;
    uint32_t suppressed_count;
    bool has_baseline;
    uint32_t baselined_count; /* findings that the baseline lists (baseline.h) */
    struct lint_remark *remarks;
    uint32_t remark_count;
    uint32_t lost_count;       /* of the remarks the first: over what the analysis died */
    struct lint_limit *limits; /* by id, path and line */
    uint32_t limit_count;
    str evidence;         /* sentences about what findings rest on beside the source; "" */
    enum fail_on fail_on; /* the strictest of the configurations that hold */
};

/*
 * False: a path that is not there (STEPTIME_INPUT), a configuration that cannot be used, an output among the files
 * (STEPTIME_USAGE). A file that cannot be used is a remark.
 * Everything lies in the arena; the project is released by lint_release.
 */
bool lint_run(const struct lint_options *options, struct arena *arena, struct lint *lint, struct steptime_error *err);
void lint_release(struct lint *lint);

/* What rules and fixes may ask about a file. */
static inline struct check lint_check(const struct lint *lint, uint32_t file, struct arena *arena)
{
    return (struct check){lint->project, file, lint->files[file].tree, arena};
}

struct finding_edit; /* report/report.h */

/*
 * What the fix of a match would change in its file as it is: ranges in lines and columns of UTF-16 units, in the order
 * of the text. NULL and 0 where it has no fix. Asked by SARIF, JSON and editors alike.
 */
const struct finding_edit *lint_edits(const struct lint *lint, const struct match *match, struct arena *arena,
                                      uint32_t *count);
/* One range of a file, and the text that takes its place. */
struct finding_edit lint_edit(const struct syntax *tree, uint32_t begin, uint32_t end, str text);

/* Saving first, then tier, then place. */
void lint_rank(struct lint *lint);

/* The findings, a summary by rule and the remarks. */
void lint_show(const struct lint *lint, bool proof, struct report *report);

/* How much a finding weighs, by the source and by the traces. */
enum level lint_level(const struct lint_finding *finding);

struct finding_link;
/* The links of a proof as a report takes them: paths and lines for nodes. NULL without a match. */
const struct finding_link *proof_links(const struct lint *lint, const struct lint_finding *finding,
                                       struct arena *arena);

/* The heaviest level among the findings; false where there are none. */
bool lint_worst(const struct lint *lint, enum level *worst);
/* The same of the findings at a line; `is_file`: whether a file of the run goes by that name. */
bool lint_worst_at(const struct lint *lint, bool (*is_file)(str path, str file), str file, int64_t line,
                   enum level *worst);

#endif
