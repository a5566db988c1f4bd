/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From findings to changed files. In a round every finding with a rewrite makes
 * its edits, in the order of the findings; one that would touch what another
 * changed waits for the next round, which looks at the changed text as if it were
 * the file. Rounds end when nothing is left to change, so that what comes out has
 * nothing to fix, and fixing it again changes nothing.
 */
#ifndef LINT_FIX_H
#define LINT_FIX_H

#include "base/buf.h"
#include "lint.h"
#include "syntax/compose.h"

/* A rewrite that was made. The line is that of the text of its round. */
struct fix_made {
    const struct rule *rule;
    enum fix_kind kind;
    int64_t line;
    uint32_t cell; /* of a notebook, in which the line stands; 0: none */
    uint32_t round;
};

/* Tags of edits: which rules made them, as numbers of the table of rules, and whether one of those was unsafe. */
enum { FIX_TAG_UNSAFE = 63 };

struct fix_file {
    str path;
    str before, after;
    struct edit_list edits; /* of `before` */
    struct fix_made *made;
    uint32_t made_count;
};

struct fix_options {
    struct lint_options lint;
    bool unsafe; /* those too that may change results */
    bool notes;  /* of notes too, not of warnings alone */
    /* Which findings are rewritten, in one round; all there is to it of others is left. NULL: all, in as many as it takes. */
    bool (*wanted)(void *context, const struct lint *lint, const struct lint_finding *finding);
    /* Called after the first look at the files, before anything is changed: may rank the findings. May be NULL. */
    bool (*ready)(void *context, struct lint *lint, struct steptime_error *err);
    void *context;
};

struct fixes {
    struct fix_file *files; /* that change; by path */
    uint32_t file_count;
    uint32_t safe_count, unsafe_count; /* rewrites made */
    uint32_t left_notes;               /* notes that have a rewrite, where notes were not asked for */
    uint32_t left_unsafe;              /* findings that only an unsafe rewrite can fix */
    uint32_t left_unmade;              /* findings whose rewrite could not be made after all */
    bool stopped;                      /* after the last round that is made: another run may make what is left */
    struct lint_remark *remarks;       /* of the first look: files that could not be used */
    uint32_t remark_count;
};

/* As lint_run; nothing is written to any file. Everything lies in the arena. */
bool fix_run(const struct fix_options *options, struct arena *arena, struct fixes *fixes, struct steptime_error *err);

/* The whole as a report: a section `fix`. */
void fix_show(const struct fixes *fixes, struct report *report);

/* The diff of one file, behind lines that say what was done and why an unsafe rewrite is. */
void fix_diff(const struct fix_file *file, struct buf *diff);

#endif
