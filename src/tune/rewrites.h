/* SPDX-License-Identifier: Apache-2.0 */
/* The rewrites that could be made in a tree, and making one of them. */
#ifndef TUNE_REWRITES_H
#define TUNE_REWRITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "rules/ask/rule.h"
#include "syntax/compose.h"
#include "steptime/error.h"

/* What a trace says that a step saves; below 0: what it costs. NaN: it does not say. */
struct prediction {
    double ns;
    double low_ns, high_ns; /* its 95 % interval */
    double step_ns;         /* the step that it is of */
};

/* A finding that has one. It is told again after other changes by rule, file and the text of its line. */
struct rewrite {
    const struct rule *rule;
    enum fix_kind kind;
    enum level level;
    str path; /* as linted */
    str line_text;
    str message;
    int64_t line;
    struct prediction predicted;
};

/* By what it is told again by. */
bool rewrite_is(const struct rewrite *a, const struct rewrite *b);

struct rewrites {
    struct rewrite *at; /* what saves more first, then warnings, then by place */
    uint32_t count;
};

struct rewrites_options {
    const char *tree;
    bool unsafe, notes;
    const char *trace; /* a trace of a run of this source; NULL */
};

bool rewrites_find(const struct rewrites_options *options, struct arena *arena, struct rewrites *rewrites,
                   struct steptime_error *err);

/* A file that a rewrite changed. */
struct rewritten {
    str path, before, after;
    struct edit_list edits; /* of `before` */
};

struct rewritten_files {
    struct rewritten *at;
    uint32_t count; /* 0: it could not be made after all */
};

/* Makes it in the files. */
bool rewrite_make(const struct rewrites_options *options, const struct rewrite *rewrite, struct arena *arena,
                  struct rewritten_files *files, struct steptime_error *err);
/* And takes it back. */
bool rewrite_undo(const struct rewritten_files *files, struct arena *arena, struct steptime_error *err);

#endif
