/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ST303: what of a sample is always the same is computed once and kept.
 *
 *     for row in rows:                      for row in rows:
 *         node = np.unique(row)                 key = pickle.dumps(row)
 *         out.append(pad(node, most))           if key not in self.kept:
 *                                                   node = np.unique(row)
 *                                                   if len(self.kept) >= 100000:
 *                                                       self.kept.clear()
 *                                                   self.kept[key] = node
 *                                               node = self.kept[key]
 *                                               out.append(pad(node, most))
 *
 * The key is the content of the sample, so it does not matter where it stands in
 * a shuffled data set, nor that it comes again in another one. What is kept is an
 * attribute of the object whose method it is, bound in __init__, and has a bound:
 * a function has nowhere to keep it but in its module, and stays as it is.
 */
#include "fix.h"
#include "patch.h"
#include "rules/loops/preparation.h"
#include "rules/loops/staging.h"

enum { MOST_KEPT = 100000 }; /* samples: more than most data sets have, and a bound all the same */

struct stager {
    struct patch *patch;
    const struct staging *staging;
    struct buf first; /* the statements of the first stage, one level deeper than they were */
    struct buf names; /* "node, alias": what is kept */
    uint32_t name_count;
    str unit;
};

static const struct syntax *tree_of(const struct stager *stager)
{
    return stager->patch->check->tree;
}

static uint32_t line_begin(const struct syntax *tree, uint32_t at)
{
    while (at && tree->text.at[at - 1] != '\n' && tree->text.at[at - 1] != '\r')
        at--;
    return at;
}

/* Lines of the file, each one level deeper. Refuses texts over several lines, which would change. */
static void add_lines(struct stager *stager, uint32_t begin, uint32_t end)
{
    str text = {tree_of(stager)->text.at + begin, end - begin}, line;
    while (str_cut(&text, '\n', &line)) {
        if (line.len && line.at[line.len - 1] == '\r')
            line.len--;
        if (!line.len && !text.len)
            break; /* behind the last line end */
        buf_add(&stager->first, line.len ? stager->unit : S(""));
        buf_add(&stager->first, line);
        buf_char(&stager->first, '\n');
    }
}

static bool has_long_string(const struct syntax *tree, uint32_t node)
{
    for (uint32_t at = node; at < syntax_last(tree, node); at++)
        if (tree->kind[at] == SYN_STRING && memchr(syntax_text(tree, at).at, '\n', syntax_text(tree, at).len))
            return true;
    return false;
}

static void add_name(struct stager *stager, str name)
{
    buf_printf(&stager->names, "%s%.*s", stager->name_count++ ? ", " : "", (int)name.len, name.at);
}

/* "kept", "kept_2", "kept_3" ... */
static str number_name(const struct stager *stager, const char *name, uint32_t i)
{
    return patch_fresh_name(stager->patch, i ? patch_printf(stager->patch, "%s_%u", name, i + 1)
                                             : patch_printf(stager->patch, "%s", name));
}

static uint32_t splits_before(const struct stager *stager, uint32_t i)
{
    uint32_t count = 0;
    while (i--)
        count += stager->staging->stages[i] == STAGE_SPLIT;
    return count;
}

static void move_statement(struct stager *stager, uint32_t statement)
{
    const struct syntax *tree = tree_of(stager);
    if (has_long_string(tree, statement))
        patch_refuse(stager->patch);
    add_lines(stager, line_begin(tree, tree->begin[statement]), tree->end[statement]);
    patch_delete(stager->patch, statement);
}

/* for i in ...: u = f(i); x[u] = 1  ->  first: for i in ...: u = f(i); noted.append(u)  then: for u in noted: x[u] = 1 */
static void split_loop(struct stager *stager, uint32_t i)
{
    const struct syntax *tree = tree_of(stager);
    const uint32_t loop = stager->staging->statements[i], split = stager->staging->split_at[i];
    str names[STAGING_REPLAYED];
    const uint32_t count = staging_replayed(stager->patch->check, stager->staging, i, names);
    struct buf tuple = {0};
    for (uint32_t k = 0; k < count; k++)
        buf_printf(&tuple, "%s%.*s", k ? ", " : "", (int)names[k].len, names[k].at);
    const str noted = number_name(stager, "noted", splits_before(stager, i));
    const str outer = syntax_indent(tree, loop), inner = syntax_indent(tree, split);
    if (has_long_string(tree, loop))
        patch_refuse(stager->patch);
    buf_printf(&stager->first, "%.*s%.*s%.*s = []\n", (int)stager->unit.len, stager->unit.at, (int)outer.len, outer.at,
               (int)noted.len, noted.at);
    add_lines(stager, line_begin(tree, tree->begin[loop]), line_begin(tree, tree->begin[split]));
    buf_printf(&stager->first, count > 1 ? "%.*s%.*s%.*s.append((%.*s))\n" : "%.*s%.*s%.*s.append(%.*s)\n",
               (int)stager->unit.len, stager->unit.at, (int)inner.len, inner.at, (int)noted.len, noted.at,
               (int)tuple.len, tuple.at);
    patch_replace(
        stager->patch, tree->begin[loop], line_begin(tree, tree->begin[split]),
        patch_printf(stager->patch, "for %.*s in %.*s:\n", (int)tuple.len, tuple.at, (int)noted.len, noted.at));
    add_name(stager, noted);
    buf_free(&tuple);
}

/* A kept value where it stands: copied where others could change it. */
static str guarded(const struct stager *stager, enum kept_use use, str name)
{
    if (use == KEPT_COPY_LIST)
        return patch_printf(stager->patch, "list(%.*s)", (int)name.len, name.at);
    if (use == KEPT_COPY_ARRAY)
        return patch_printf(stager->patch, "%.*s.copy()", (int)name.len, name.at);
    if (use == KEPT_COPY_DEEP)
        return patch_printf(stager->patch, "pickle.loads(pickle.dumps(%.*s))", (int)name.len, name.at);
    return name;
}

static void keep_piece(struct stager *stager, uint32_t i)
{
    const struct check *check = stager->patch->check;
    const uint32_t piece = stager->staging->pieces[i];
    const str name = number_name(stager, "kept", i);
    const str text = patch_text(stager->patch, piece);
    const str indent = syntax_indent(check->tree, patch_statement(stager->patch, piece));
    if (memchr(text.at, '\n', text.len) && has_long_string(check->tree, piece))
        patch_refuse(stager->patch);
    buf_printf(&stager->first, "%.*s%.*s%.*s = %.*s\n", (int)stager->unit.len, stager->unit.at, (int)indent.len,
               indent.at, (int)name.len, name.at, (int)text.len, text.at);
    patch_node(stager->patch, piece, guarded(stager, kept_use(check, piece), name));
    add_name(stager, name);
}

/* Kept names that leave the loop where they stand are copied there. */
static void guard_uses(struct stager *stager, uint32_t statement)
{
    const struct check *check = stager->patch->check;
    for (uint32_t node = statement; node < syntax_last(check->tree, statement); node++) {
        if (!syntax_is(check->tree, node, SYN_NAME) || syntax_is(check->tree, check->tree->parent[node], SYN_KEYWORD))
            continue;
        bool inside = false;
        for (uint32_t i = 0; i < stager->staging->piece_count; i++)
            inside |= syntax_inside(check->tree, node, stager->staging->pieces[i]);
        for (uint32_t i = 0; i < stager->staging->kept_count && !inside; i++) {
            const str name = syntax_text(check->tree, node);
            const enum kept_use use = kept_use(check, node);
            if (str_eq(name, stager->staging->kept[i]) && use != KEPT_READ)
                patch_node(stager->patch, node, guarded(stager, use, name));
        }
    }
}

static void take_apart(struct stager *stager)
{
    const struct staging *staging = stager->staging;
    for (uint32_t i = 0; i < staging->kept_count; i++)
        add_name(stager, staging->kept[i]);
    for (uint32_t i = 0; i < staging->count; i++) {
        if (staging->stages[i] == STAGE_SAMPLE)
            move_statement(stager, staging->statements[i]);
        else if (staging->stages[i] == STAGE_SPLIT)
            split_loop(stager, i);
        else {
            for (uint32_t k = 0; k < staging->piece_count; k++)
                if (syntax_inside(stager->patch->check->tree, staging->pieces[k], staging->statements[i]))
                    keep_piece(stager, k);
            guard_uses(stager, staging->statements[i]);
        }
    }
}

/* The head of the loop: look up, compute once, take. Its lines have the indent of the body already. */
static void add_head(struct stager *stager, str kept)
{
    struct patch *patch = stager->patch;
    const struct syntax *tree = tree_of(stager);
    const uint32_t first = stager->staging->statements[0];
    const str sample = syntax_text(tree, stager->staging->sample), names = buf_str(&stager->names);
    const str indent = syntax_indent(tree, first), pickle = patch_module(patch, "pickle");
    const str key = patch_fresh_name(patch, patch_printf(patch, "%.*s_key", (int)sample.len, sample.at));
    struct buf text = {0};
    buf_printf(&text, "%.*s%.*s = %.*s.dumps(%.*s)\n", (int)indent.len, indent.at, (int)key.len, key.at,
               (int)pickle.len, pickle.at, (int)sample.len, sample.at);
    buf_printf(&text, "%.*sif %.*s not in %.*s:\n", (int)indent.len, indent.at, (int)key.len, key.at, (int)kept.len,
               kept.at);
    buf_add(&text, buf_str(&stager->first));
    buf_printf(&text, "%.*s%.*sif len(%.*s) >= %d:\n%.*s%.*s%.*s%.*s.clear()\n", (int)indent.len, indent.at,
               (int)stager->unit.len, stager->unit.at, (int)kept.len, kept.at, MOST_KEPT, (int)indent.len, indent.at,
               (int)stager->unit.len, stager->unit.at, (int)stager->unit.len, stager->unit.at, (int)kept.len, kept.at);
    buf_printf(&text, "%.*s%.*s%.*s[%.*s] = %.*s\n", (int)indent.len, indent.at, (int)stager->unit.len, stager->unit.at,
               (int)kept.len, kept.at, (int)key.len, key.at, (int)names.len, names.at);
    buf_printf(&text, "%.*s%.*s = %.*s[%.*s]\n", (int)indent.len, indent.at, (int)names.len, names.at, (int)kept.len,
               kept.at, (int)key.len, key.at);
    patch_lines(patch, line_begin(tree, tree->begin[first]), buf_str(&text));
    buf_free(&text);
}

/* ---- where it is kept ---- */

/* The name of the object in a method of this file; "" in a function, and in one that has no object. */
static str object_of(const struct check *check, uint32_t loop)
{
    const uint32_t around = project_function_at(check->project, check_site(check, loop));
    if (around == SYNTAX_NONE || project_function(check->project, around)->class_id == SYNTAX_NONE)
        return S("");
    const uint32_t parameter = project_parameter(check->project, around, 0);
    const str name = parameter == SYNTAX_NONE ? S("") : syntax_text(check->tree, parameter);
    return str_eq(name, S("self")) ? name : S("");
}

static bool is_text(const struct syntax *tree, uint32_t statement)
{
    return syntax_is(tree, statement, SYN_EXPR) && syntax_is(tree, syntax_first(tree, statement), SYN_STRING);
}

static bool is_super_init(const struct syntax *tree, uint32_t statement)
{
    return syntax_is(tree, statement, SYN_EXPR) && syntax_calls(tree, syntax_first(tree, statement), S("__init__"));
}

/* The statement of the class's own constructor before which attributes can be bound; SYNTAX_NONE. */
static uint32_t place_in_init(const struct check *check, uint32_t loop)
{
    const uint32_t around = project_function_at(check->project, check_site(check, loop));
    const uint32_t class_id = project_function(check->project, around)->class_id;
    const uint32_t init = project_method(check->project, class_id, S("__init__"));
    if (init == SYNTAX_NONE || init == around || project_function(check->project, init)->class_id != class_id ||
        project_function(check->project, init)->file != check->file)
        return SYNTAX_NONE;
    uint32_t at =
        syntax_first(check->tree, syntax_last_child(check->tree, project_function(check->project, init)->node));
    while (at != SYNTAX_NONE && (is_text(check->tree, at) || is_super_init(check->tree, at)))
        at = syntax_next(check->tree, at);
    return at;
}

bool fix_repeated_preparation(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    struct staging staging;
    if (!syntax_is(check->tree, match->node, SYN_FOR) || !staging_find(check, match->node, &staging))
        return false;
    const str object = object_of(check, match->node);
    const uint32_t init = object.len ? place_in_init(check, match->node) : SYNTAX_NONE;
    if (init == SYNTAX_NONE)
        return false;
    struct stager stager = {.patch = &patch, .staging = &staging, .unit = patch_indent_unit(&patch)};
    take_apart(&stager);
    const str sample = syntax_text(check->tree, staging.sample);
    const str name = patch_fresh_name(&patch, patch_printf(&patch, "_kept_of_%.*s", (int)sample.len, sample.at));
    const str kept = patch_printf(&patch, "self.%.*s", (int)name.len, name.at);
    add_head(&stager, kept);
    patch_line_before(&patch, init,
                      patch_printf(&patch, "%.*s = {}  # by content of the sample: what is the same each time",
                                   (int)kept.len, kept.at));
    buf_free(&stager.first);
    buf_free(&stager.names);
    return patch_hand_over(&patch, edits);
}
