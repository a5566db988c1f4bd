/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders that a file puts on sys.path: literals, and what os.path and pathlib make of __file__. What comes from
 * anywhere else (the environment, arguments) names nothing.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "files.h"

/* A path as it is written. One from __file__ is of the run; any other is seen from where the program is started. */
struct written {
    str text; /* .at is NULL: not known */
    bool of_file;
};

enum { DEEPEST_PATH = 32 };

static struct written path_of(struct file *file, uint32_t node, int depth);

static const struct written unknown_path = {{0}, false};

/* ---- texts of paths ---- */

static str parent_of(str path)
{
    const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
    return slash ? (str){path.at, (size_t)(slash - path.at)} : S("");
}

static str last_of(str path)
{
    const size_t folder = parent_of(path).len;
    return str_from(path, folder + (folder < path.len && path.at[folder] == '/'));
}

static void add_part(struct buf *out, str part)
{
    const str last = last_of(buf_str(out));
    if (!part.len || str_eq(part, S(".")))
        return;
    if (str_eq(part, S("..")) && last.len && !str_eq(last, S(".."))) {
        out->len = parent_of(buf_str(out)).len;
        return;
    }
    if (out->len && out->at[out->len - 1] != '/')
        buf_char(out, '/');
    buf_add(out, part);
}

str path_plain(struct arena *arena, str path)
{
    struct buf out = {0};
    if (str_starts(path, S("/")))
        buf_char(&out, '/');
    for (str rest = path, part; str_cut(&rest, '/', &part);)
        add_part(&out, part);
    const str plain = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return plain;
}

str path_join(struct arena *arena, str folder, str name)
{
    if (!folder.len && !str_starts(folder, S("/")))
        return name;
    return str_starts(name, S("/"))
               ? name
               : str_printf(arena, "%.*s/%.*s", (int)folder.len, folder.at, (int)name.len, name.at);
}

/* ---- expressions that make paths ---- */

static struct written joined(struct file *file, struct written a, struct written b)
{
    if (!a.text.at || !b.text.at)
        return unknown_path;
    return (struct written){path_join(&file->arena, a.text, b.text), a.of_file || b.of_file};
}

static struct written literal(const struct syntax *tree, uint32_t node)
{
    const str text = syntax_text(tree, node);
    const bool plain = text.len >= 2 && (text.at[0] == '"' || text.at[0] == '\'') && tree->size[node] == 1;
    return plain ? (struct written){{text.at + 1, text.len - 2}, false} : unknown_path;
}

/* What a name of the module is bound to by a plain assignment. */
static uint32_t module_value(const struct file *file, uint32_t slot)
{
    for (uint32_t d = 0; d < file->flow.def_count; d++) {
        const struct def *def = &file->flow.defs[d];
        if (def->slot == slot && def->shown.kind == DEFINED_ASSIGN && !def->shown.unpacked)
            return def->shown.value;
    }
    return NONE;
}

static struct written of_name(struct file *file, uint32_t node, int depth)
{
    if (str_eq(syntax_text(file->shown.tree, node), S("__file__")))
        return (struct written){file->shown.path, true};
    const uint32_t d = flow_resolve(&file->flow, flow_read_def(&file->flow, node));
    const struct def *def = d == NONE ? NULL : &file->flow.defs[d];
    if (def && def->shown.kind == DEFINED_OUTSIDE && file->flow.slots[def->slot].outer != NONE)
        return path_of(file, module_value(file, file->flow.slots[def->slot].outer), depth + 1);
    const bool plain = def && def->shown.kind == DEFINED_ASSIGN && !def->shown.unpacked;
    return plain ? path_of(file, def->shown.value, depth + 1) : unknown_path;
}

static str folder_above(struct arena *arena, str folder)
{
    if (!folder.len || str_eq(last_of(folder), S("..")))
        return path_join(arena, folder, S(".."));
    return parent_of(folder);
}

static struct written parent(struct file *file, struct written of, int64_t times)
{
    str text = of.text.at ? path_plain(&file->arena, of.text) : (str){0};
    while (text.at && times-- > 0)
        text = folder_above(&file->arena, text);
    return (struct written){text, of.of_file};
}

static struct written of_attribute(struct file *file, uint32_t node, int depth)
{
    const str member = syntax_tail(file->shown.tree, node);
    if (str_eq(member, S("pardir")))
        return (struct written){S(".."), false};
    if (str_eq(member, S("curdir")))
        return (struct written){S("."), false};
    return str_eq(member, S("parent")) ? parent(file, path_of(file, node + 1, depth + 1), 1) : unknown_path;
}

/* Path(__file__).parents[1] */
static struct written of_item(struct file *file, uint32_t node, int depth)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t index = syntax_child(tree, node, 1);
    int64_t at;
    if (!str_eq(syntax_tail(tree, node + 1), S("parents")) || !str_int(syntax_text(tree, index), &at) || at > 64)
        return unknown_path;
    return parent(file, path_of(file, node + 2, depth + 1), at + 1);
}

static struct written all_arguments(struct file *file, uint32_t call, struct written from, int depth)
{
    const struct syntax *tree = file->shown.tree;
    for (uint32_t a = syntax_first(tree, syntax_child(tree, call, 1)); a != NONE; a = syntax_next(tree, a))
        from = joined(file, from, path_of(file, a, depth + 1));
    return from;
}

static struct written of_call(struct file *file, uint32_t node, int depth)
{
    static const char same[] = "abspath realpath normpath str fspath expanduser";
    static const char methods[] = "resolve absolute as_posix expanduser __str__";
    const struct syntax *tree = file->shown.tree;
    const uint32_t callee = node + 1, first = syntax_argument(tree, node, 0, NULL);
    const str tail = syntax_tail(tree, callee);
    const bool of_object = tree->kind[callee] == SYN_ATTRIBUTE;
    if (str_is_among("getcwd cwd", tail))
        return (struct written){S("."), false};
    if (str_is_among("join Path PurePath", tail) && first != NONE)
        return all_arguments(file, node, (struct written){S(""), false}, depth);
    if (str_eq(tail, S("joinpath")) && of_object)
        return all_arguments(file, node, path_of(file, callee + 1, depth + 1), depth);
    if (str_eq(tail, S("dirname")) && first != NONE)
        return parent(file, path_of(file, first, depth + 1), 1);
    if (str_is_among(same, tail) && first != NONE)
        return path_of(file, first, depth + 1);
    return str_is_among(methods, tail) && of_object ? path_of(file, callee + 1, depth + 1) : unknown_path;
}

/* Path / "x" and "x" + "/y" */
static struct written of_operator(struct file *file, uint32_t node, int depth)
{
    const struct syntax *tree = file->shown.tree;
    const bool sum = tree->op[node] == OP_ADD;
    if (!sum && tree->op[node] != OP_DIV)
        return unknown_path;
    const struct written a = path_of(file, syntax_child(tree, node, 0), depth + 1);
    const struct written b = path_of(file, syntax_child(tree, node, 1), depth + 1);
    if (!sum || !a.text.at || !b.text.at)
        return joined(file, a, b);
    const str text = str_printf(&file->arena, "%.*s%.*s", (int)a.text.len, a.text.at, (int)b.text.len, b.text.at);
    return (struct written){text, a.of_file};
}

static struct written path_of(struct file *file, uint32_t node, int depth)
{
    const struct syntax *tree = file->shown.tree;
    if (node != NONE && depth > DEEPEST_PATH)
        file->far_path = node;
    if (node == NONE || depth > DEEPEST_PATH)
        return unknown_path;
    switch (tree->kind[node]) {
    case SYN_STRING:
        return literal(tree, node);
    case SYN_NAME:
        return of_name(file, node, depth);
    case SYN_ATTRIBUTE:
        return of_attribute(file, node, depth);
    case SYN_SUBSCRIPT:
        return of_item(file, node, depth);
    case SYN_CALL:
        return of_call(file, node, depth);
    case SYN_BINARY:
        return of_operator(file, node, depth);
    default:
        return unknown_path;
    }
}

/* ---- statements that change sys.path ---- */

static void take_path(struct file *file, uint32_t node)
{
    const struct written path = path_of(file, node, 0);
    if (!path.text.at)
        return;
    struct path_entries *into = &file->on_path;
    into->at = mem_grow(into->at, &into->room, into->count + 1, sizeof *into->at);
    into->at[into->count++] =
        (struct path_entry){path_plain(&file->arena, path.text), path.of_file || str_starts(path.text, S("/"))};
}

/* Of a parameter what calls of the function in this file give: def add_path(path): sys.path.insert(0, path). */
static void take(struct file *file, uint32_t node)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t d = syntax_is(tree, node, SYN_NAME) ? flow_read_def(&file->flow, node) : NONE;
    if (d == NONE || file->flow.defs[d].shown.kind != DEFINED_PARAMETER) {
        take_path(file, node);
        return;
    }
    const uint32_t function = syntax_function(tree, node);
    if (!syntax_is(tree, function, SYN_FUNCTION))
        return;
    const str name = syntax_text(tree, function + 1);
    for (uint32_t call = 0; call < tree->count; call++)
        if (syntax_calls(tree, call, name) && syntax_argument(tree, call, 0, NULL) != NONE)
            take_path(file, syntax_argument(tree, call, 0, NULL));
}

static void take_items(struct file *file, uint32_t list)
{
    const struct syntax *tree = file->shown.tree;
    if (!syntax_is(tree, list, SYN_LIST) && !syntax_is(tree, list, SYN_TUPLE))
        return;
    for (uint32_t item = syntax_first(tree, list); item != NONE; item = syntax_next(tree, item))
        take(file, item);
}

static bool is_path(const struct syntax *tree, uint32_t node)
{
    return syntax_is(tree, node, SYN_ATTRIBUTE) && str_eq(syntax_text(tree, node), S("sys.path"));
}

static void look_at_call(struct file *file, uint32_t call)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t callee = call + 1;
    const str method = syntax_tail(tree, callee);
    if (str_eq(method, S("addsitedir")))
        take(file, syntax_argument(tree, call, 0, NULL));
    if (tree->kind[callee] != SYN_ATTRIBUTE || !is_path(tree, callee + 1))
        return;
    if (str_eq(method, S("append")))
        take(file, syntax_argument(tree, call, 0, NULL));
    else if (str_eq(method, S("insert")))
        take(file, syntax_argument(tree, call, 1, NULL));
    else if (str_eq(method, S("extend")))
        take_items(file, syntax_argument(tree, call, 0, NULL));
}

/* sys.path += [x]; sys.path = [x] + sys.path; sys.path[:0] = [x] */
static void look_at_assignment(struct file *file, uint32_t statement)
{
    const struct syntax *tree = file->shown.tree;
    const uint32_t target = statement + 1, value = syntax_last_child(tree, statement);
    if (!is_path(tree, tree->kind[target] == SYN_SUBSCRIPT ? target + 1 : target))
        return;
    take_items(file, value);
    if (tree->kind[value] == SYN_BINARY) {
        take_items(file, syntax_child(tree, value, 0));
        take_items(file, syntax_child(tree, value, 1));
    }
}

void paths_find(struct file *file)
{
    const struct syntax *tree = file->shown.tree;
    if (!str_has(file->text, S("sys.path")) && !str_has(file->text, S("addsitedir")))
        return;
    for (uint32_t node = 0; node < tree->count; node++)
        if (tree->kind[node] == SYN_CALL)
            look_at_call(file, node);
        else if (tree->kind[node] == SYN_ASSIGN || tree->kind[node] == SYN_AUG_ASSIGN)
            look_at_assignment(file, node);
}
