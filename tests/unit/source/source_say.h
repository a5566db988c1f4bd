/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Python snippet and an expression of it in, what the analysis believes of it
 * out. The last place where the text stands counts.
 */
#ifndef SOURCE_SAY_H
#define SOURCE_SAY_H

#include <stdio.h>

#include "base/buf.h"
#include "source/contexts/context.h"
#include "source/ask/flow.h"
#include "source/ask/name.h"
#include "source/paces/project_new.h"
#include "source/ask/summary.h"
#include "source/ask/value_at.h"
#include "source/values/values.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

/* ---- in words: "tensor gpu float32 rank0 grad", "step inner1 forward gate-interval" ---- */

static const char *const kinds[] = {
    [VALUE_UNKNOWN] = "unknown",     [VALUE_TENSOR] = "tensor",     [VALUE_MODULE] = "module",
    [VALUE_ARRAY] = "array",         [VALUE_INT] = "int",           [VALUE_FLOAT] = "float",
    [VALUE_BOOL] = "bool",           [VALUE_STR] = "str",           [VALUE_NONE] = "none",
    [VALUE_LIST] = "list",           [VALUE_TUPLE] = "tuple",       [VALUE_SET] = "set",
    [VALUE_DICT] = "dict",           [VALUE_ITERATOR] = "iterator", [VALUE_LOADER] = "loader",
    [VALUE_DATASET] = "dataset",     [VALUE_BATCH] = "batch",       [VALUE_OPTIMIZER] = "optimizer",
    [VALUE_SCHEDULER] = "scheduler", [VALUE_SCALER] = "scaler",     [VALUE_LOSS] = "loss",
    [VALUE_DEVICE] = "device",       [VALUE_DTYPE] = "dtype",       [VALUE_SHAPE] = "shape",
    [VALUE_FUNCTION] = "function",   [VALUE_CLASS] = "class",       [VALUE_IMPORT] = "import",
    [VALUE_INSTANCE] = "instance",   [VALUE_WRITER] = "writer",     [VALUE_SPARSE] = "sparse",
    [VALUE_FRAME] = "frame",         [VALUE_OTHER] = "other",       [VALUE_KINDS] = "nothing"};
static const char *const devices[] = {"", " cpu", " gpu", " same"};
static const char *const dtypes[] = {"", " bool", " uint8", " int32", " int64", " float16", " float32", " float64"};
static const char *const ranks[] = {"", " rank0", " rank1+"};
static const char *const flag_words[] = {"pinned",   "random",     "grad",     "detached", "batch",
                                         "uploaded", "downloaded", "constant", "fresh",    "parameter",
                                         "buffer",   "assumed",    "one"};

static inline void add_words(struct buf *buf, const struct project *project, const struct value *value, int depth)
{
    const bool placed = value_device_matters(value) || value->kind == VALUE_NOTHING;
    buf_printf(buf, "%s%s", kinds[value->kind], placed ? devices[value->device] : "");
    if (placed && value->device == DEVICE_PARAMETER)
        buf_printf(buf, "%u", value->parameter);
    buf_printf(buf, "%s%s", dtypes[value->dtype], ranks[value->rank]);
    for (size_t i = 0; i < sizeof flag_words / sizeof *flag_words; i++)
        if (value->flags & 1u << i)
            buf_printf(buf, " %s", flag_words[i]);
    if (value->detail != SYNTAX_NONE &&
        (value->kind == VALUE_FUNCTION || value->kind == VALUE_CLASS || value->kind == VALUE_MODULE ||
         value->kind == VALUE_INSTANCE || value->kind == VALUE_DATASET)) {
        const str name = value->kind == VALUE_FUNCTION ? project_function(project, value->detail)->name
                                                       : project_class(project, value->detail)->name;
        buf_printf(buf, " %.*s", (int)name.len, name.at);
    } else if (value->name) {
        buf_printf(buf, " %.*s", (int)value->name->text.len, value->name->text.at);
    }
    if (!value->items || depth == 0)
        return;
    buf_add(buf, S(" ["));
    for (uint32_t i = 0; i < (value->item_count ? value->item_count : 1u); i++) {
        buf_add(buf, i ? S(", ") : S(""));
        add_words(buf, project, value->items[i], depth - 1);
    }
    buf_add(buf, S("]"));
}

static inline str value_words(const struct project *project, const struct value *value)
{
    struct buf buf = {0};
    add_words(&buf, project, value, 3);
    const str text = str_copy(&arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

static inline str context_words(const struct context *c)
{
    static const char *const paces[] = {"unknown", "once", "epoch", "evaluation", "step"};
    static const char *const gates[] = {"",
                                        " gate-interval",
                                        " gate-flag",
                                        " gate-rank",
                                        " gate-first",
                                        " gate-empty",
                                        " gate-unmade",
                                        " gate-unreached",
                                        " gate-off",
                                        " gate-untaken"};
    struct buf buf = {0};
    buf_printf(&buf, "%s", paces[c->pace]);
    if (c->inner)
        buf_printf(&buf, " inner%u", c->inner);
    buf_printf(&buf, "%s%s%s%s%s%s%s", gates[c->gate], c->in_forward ? " forward" : "", c->in_worker ? " worker" : "",
               c->on_error ? " error" : "", c->no_grad ? " no-grad" : "",
               c->cpu_only  ? " cpu-only"
               : c->in_test ? " test"
                            : "",
               c->several ? " several" : "");
    const str text = str_copy(&arena, buf_str(&buf));
    buf_free(&buf);
    return text;
}

/* ---- what a snippet says ---- */

static inline const char *text(const char *format, const char *with)
{
    struct buf buf = {0};
    const char *gap = strstr(format, "%s");
    buf_add(&buf, (str){format, (size_t)(gap - format)});
    buf_add(&buf, str_of(with));
    buf_add(&buf, str_of(gap + 2));
    const char *made = str_z(&arena, buf_str(&buf));
    buf_free(&buf);
    return made;
}

/* The outermost expression that reads so, at the last place where one does. */
static inline struct site find(const struct project *project, uint32_t file, const char *expression)
{
    const struct syntax *tree = project_tree(project, file);
    uint32_t found = SYNTAX_NONE;
    for (uint32_t node = 0; node < tree->count; node++) {
        const bool outermost = found == SYNTAX_NONE || tree->begin[node] > tree->begin[found];
        const bool part = tree->kind[node] >= SYN_NAME || tree->kind[node] == SYN_FOR || tree->kind[node] == SYN_WHILE;
        if (part && outermost && str_eq(syntax_text(tree, node), str_of(expression)))
            found = node;
    }
    if (found == SYNTAX_NONE)
        print_error("no expression %s\n", expression);
    assert_true(found != SYNTAX_NONE);
    return (struct site){file, found};
}

static inline struct project *run_of(const char *code)
{
    const struct project_source source = {S("file.py"), str_of(code)};
    return project_new(&source, 1, NULL);
}

static inline void says_in(const struct project_source *files, uint32_t count, uint32_t file, const char *expression,
                           const char *expected)
{
    struct project *project = project_new(files, count, NULL);
    const struct value *value = value_at(project, find(project, file, expression));
    const str said = value_words(project, value);
    project_free(project);
    assert_string_equal(str_z(&arena, said), expected);
}

static inline void says(const char *code, const char *expression, const char *expected)
{
    says_in(&(struct project_source){S("file.py"), str_of(code)}, 1, 0, expression, expected);
}

static inline void moves(const char *code, const char *call, enum move expected)
{
    struct project *project = run_of(code);
    const struct move_info info = value_move(project, find(project, 0, call));
    project_free(project);
    if (info.move != expected)
        print_error("%s\n", call);
    assert_int_equal(info.move, expected);
}

static inline void is_named(const char *code, const char *expression, const char *expected)
{
    struct project *project = run_of(code);
    const str name = str_copy(&arena, name_of(project, find(project, 0, expression)));
    project_free(project);
    assert_string_equal(name.at, expected);
}

static inline void runs(const char *code, const char *expression, const char *expected)
{
    struct project *project = run_of(code);
    const struct context context = context_of(project, find(project, 0, expression));
    const str said = context_words(&context);
    project_free(project);
    assert_string_equal(str_z(&arena, said), expected);
}

#endif
