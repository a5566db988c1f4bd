/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edits of one rewrite, gathered before they are handed over: all of them or
 * none. What cannot be done cleanly (a statement that shares its line, a name that
 * is taken) makes the whole patch refuse.
 *
 *     struct patch patch = {.check = check, .edits = edits};
 *     patch_argument(&patch, call, S("pin_memory=True"));
 *     return patch_hand_over(&patch, edits);
 *
 * Texts are kept, not copied: literals or the arena of the check. In them '\n' is
 * a line end; the file's own is written.
 */
#ifndef RULES_PATCH_H
#define RULES_PATCH_H

#include "rules/ask/ask.h"
#include "base/buf.h"
#include "syntax/edit.h"

enum { PATCH_PARTS = 64, PATCH_GROWN = 16 };

struct patch {
    const struct check *check;
    const struct edits *edits; /* what other rewrites of this pass do: their new names are taken too */
    struct edit parts[PATCH_PARTS];
    uint32_t count;
    uint32_t grown[PATCH_GROWN]; /* nodes whose line may have become too long */
    uint32_t grown_count;
    bool refused;
};

void patch_refuse(struct patch *patch);
void patch_replace(struct patch *patch, uint32_t begin, uint32_t end, str text);
void patch_insert(struct patch *patch, uint32_t at, str text);
void patch_node(struct patch *patch, uint32_t node, str text); /* with the parentheses around it */

/* Whole lines, indented already, at the begin of a line. */
void patch_lines(struct patch *patch, uint32_t at, str lines);
/* A new line before or after a statement, in its block and with its indent; lines of `text` are indented alike. */
void patch_line_before(struct patch *patch, uint32_t statement, str text);
void patch_line_after(struct patch *patch, uint32_t statement, str text);
/*
 * Before a statement, lines below a head ("if x:\n") that is indented as the statement: below the head that another
 * rewrite puts there, if that is the same.
 */
void patch_lines_below(struct patch *patch, uint32_t statement, str head, str lines);
/* Whether another rewrite puts just these lines there: taken again they stand there once. */
bool patch_has_below(const struct patch *patch, uint32_t statement, str head, str lines);
/* A line to stand beside the statement, broken where it is wider than the file. */
str patch_fitted(const struct patch *patch, uint32_t statement, str line);
/* Takes the statement away, with its line; `pass` stays where it was alone in its block. */
void patch_delete(struct patch *patch, uint32_t statement);

/*
 * One more argument, behind the others: on a line of its own where they have one each, before the comment of none of
 * them. A statement on one line that becomes wider than its file is broken where the patch is handed over.
 */
void patch_argument(struct patch *patch, uint32_t call, str text);

/* Sends them to the edits of the file as one group; false, and nothing sent, where it refused or they overlap. */
bool patch_hand_over(struct patch *patch, struct edits *edits);

/* ---- texts and names ---- */

/* The line in which the node's statement stands may be too long now. */
void patch_grown(struct patch *patch, uint32_t node);

/* As it stands in the file, with its parentheses; as an operand that a `.method()` or `[...]` may follow. */
str patch_text(const struct patch *patch, uint32_t node);
str patch_primary(const struct patch *patch, uint32_t node);
/* What the file calls a module ("numpy", "torch") on its top level; imports it where it does not (but never torch). */
str patch_module(struct patch *patch, const char *module);
/* `wanted`, or with a number behind it, such that neither the file nor another rewrite has it. */
str patch_fresh_name(const struct patch *patch, str wanted);
/* The same of a name that is bound where `node` stands and read in its function alone: other functions may have it too. */
str patch_fresh_local(const struct patch *patch, uint32_t node, str wanted);
/* The statement of a block in which the node stands (of an elif the whole if). */
uint32_t patch_statement(const struct patch *patch, uint32_t node);
str patch_printf(const struct patch *patch, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One level deeper, as this file indents. */
str patch_indent_unit(const struct patch *patch);

#endif
