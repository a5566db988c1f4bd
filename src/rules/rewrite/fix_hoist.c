/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites of uploads that give the same each time: before the loop (safe), or kept by the module (unsafe). */
#include "fix.h"
#include "patch.h"

/* The outermost loop of this function in which the expression stays the same; SYNTAX_NONE. */
static uint32_t loop_to_leave(const struct check *check, uint32_t expression)
{
    uint32_t best = SYNTAX_NONE;
    for (uint32_t at = check->tree->parent[expression]; at; at = check->tree->parent[at]) {
        const enum syntax_kind kind = check->tree->kind[at];
        if (kind == SYN_FUNCTION || kind == SYN_LAMBDA || kind == SYN_CLASS)
            break;
        if (kind != SYN_FOR && kind != SYN_WHILE)
            continue;
        if (!flow_invariant(check->project, check_site(check, expression), at))
            break;
        best = at;
    }
    return best;
}

/* `w = weights.to(device)` whose w has no other binding in the loop moves as it is. */
static bool moves_whole(const struct check *check, uint32_t statement, uint32_t call, uint32_t loop)
{
    if (!syntax_is(check->tree, statement, SYN_ASSIGN) || syntax_child_count(check->tree, statement) != 2 ||
        syntax_last_child(check->tree, statement) != call)
        return false;
    const uint32_t target = syntax_first(check->tree, statement);
    if (!syntax_is(check->tree, target, SYN_NAME))
        return false;
    const str name = syntax_text(check->tree, target);
    const uint32_t last = syntax_last(check->tree, loop);
    uint32_t bindings = 0;
    for (uint32_t node = syntax_name_from(check->tree, name, loop, last); node != SYNTAX_NONE;
         node = syntax_name_from(check->tree, name, node + 1, last))
        bindings += flow_bound(check->project, check_site(check, node)) != NULL;
    return bindings == 1;
}

/* ---- what guards it: `if torch.cuda.is_available():` goes with it ---- */

enum { MOST_GUARDS = 4 };

/* The ifs between a statement and a loop whose tests come out the same each round, from the inside. */
struct guards {
    uint32_t at[MOST_GUARDS];
    uint32_t count;
    bool refused; /* the expression may be one that can be computed only sometimes */
};

static bool is_asked_first(const struct syntax *tree, uint32_t expression, uint32_t statement)
{
    for (uint32_t at = tree->parent[expression]; at > statement; at = tree->parent[at])
        if (tree->kind[at] == SYN_CONDITIONAL || tree->kind[at] == SYN_BOOL)
            return true;
    return false;
}

static struct guards guards_of(const struct check *check, uint32_t expression, uint32_t statement, uint32_t loop)
{
    const struct syntax *tree = check->tree;
    struct guards guards = {.refused = is_asked_first(tree, expression, statement)};
    for (uint32_t below = statement, at; (at = tree->parent[below]) != loop && at; below = at) {
        if (tree->kind[at] != SYN_IF || syntax_first(tree, at) == below ||
            !flow_invariant(check->project, check_site(check, syntax_first(tree, at)), loop))
            continue;
        const str test = syntax_text(tree, syntax_first(tree, at));
        guards.refused |= syntax_child(tree, at, 1) != below || guards.count == MOST_GUARDS ||
                          memchr(test.at, '\n', test.len) || syntax_is(tree, tree->parent[at], SYN_IF);
        if (guards.count < MOST_GUARDS)
            guards.at[guards.count++] = at;
    }
    return guards;
}

/* Lines of a text, each with so many units of indent before it. */
static str deeper(const struct patch *patch, uint32_t depth, str line)
{
    const str unit = patch_indent_unit(patch);
    str text = line;
    for (uint32_t k = 0; k < depth; k++)
        text = patch_printf(patch, "%.*s%.*s", (int)unit.len, unit.at, (int)text.len, text.at);
    return text;
}

/* The guards as they stand before the loop, from the outside; "" where there is none. */
static str guards_head(const struct patch *patch, const struct guards *guards)
{
    str head = S("");
    for (uint32_t i = guards->count; i-- > 0;) {
        const str test = patch_text(patch, syntax_first(patch->check->tree, guards->at[i]));
        const str line = deeper(patch, guards->count - 1 - i, patch_printf(patch, "if %.*s:", (int)test.len, test.at));
        head = patch_printf(patch, "%.*s%.*s\n", (int)head.len, head.at, (int)line.len, line.at);
    }
    return head;
}

static void put_before(struct patch *patch, uint32_t loop, const struct guards *guards, str line)
{
    patch_lines_below(patch, loop, guards_head(patch, guards), deeper(patch, guards->count, line));
}

/* The statement, or the outermost of its guards that holds nothing but it. */
static uint32_t emptied_with(const struct syntax *tree, const struct guards *guards, uint32_t statement)
{
    for (uint32_t i = 0; i < guards->count; i++) {
        const uint32_t block = tree->parent[statement], guard = guards->at[i];
        const uint32_t otherwise = syntax_child(tree, guard, 2);
        if (tree->parent[block] != guard || syntax_child_count(tree, block) != 1 ||
            (otherwise != SYNTAX_NONE && !syntax_is(tree, otherwise, SYN_ABSENT)))
            break;
        statement = guard;
    }
    return statement;
}

static str tail_name(const struct patch *patch, uint32_t what)
{
    const str tail = syntax_tail(patch->check->tree, ask_root(patch->check, what));
    return tail.len ? tail : S("constant");
}

static str binding(const struct patch *patch, str name, str text)
{
    return patch_printf(patch, "%.*s = %.*s", (int)name.len, name.at, (int)text.len, text.at);
}

/* A fresh name, or that which another rewrite gives the same expression before the same loop. */
static str name_of_kept(const struct patch *patch, str base, uint32_t loop, const struct guards *guards, str text)
{
    enum { MOST = 8 };
    const str first = patch_printf(patch, "%.*s_on_device", (int)base.len, base.at), head = guards_head(patch, guards);
    str name = first;
    for (int i = 2; i <= MOST; i++) {
        if (patch_has_below(patch, loop, head, deeper(patch, guards->count, binding(patch, name, text))))
            return name;
        name = patch_printf(patch, "%.*s_%d", (int)first.len, first.at, i);
    }
    return patch_fresh_name(patch, first);
}

static bool hoist(struct patch *patch, uint32_t call, uint32_t what, uint32_t loop, struct edits *edits)
{
    const struct check *check = patch->check;
    const uint32_t statement = patch_statement(patch, call);
    const str text = patch_text(patch, call);
    if (syntax_is(check->tree, statement, SYN_ASSIGN) && syntax_last_child(check->tree, statement) == call) {
        const struct definition *definition =
            flow_bound(check->project, check_site(check, syntax_first(check->tree, statement)));
        if (!definition || ask_changed(check, definition, 0, UINT32_MAX))
            return false;
    }
    const struct guards guards = guards_of(check, call, statement, loop);
    if (guards.refused)
        return false;
    if (moves_whole(check, statement, call, loop)) {
        put_before(patch, loop, &guards, syntax_text(check->tree, statement));
        patch_delete(patch, emptied_with(check->tree, &guards, statement));
        return patch_hand_over(patch, edits);
    }
    const str name = name_of_kept(patch, tail_name(patch, what), loop, &guards, text);
    put_before(patch, loop, &guards, binding(patch, name, text));
    patch_node(patch, call, name);
    return patch_hand_over(patch, edits);
}

/* ---- a constant of a module: self.x.to(device) in forward ---- */

/* A plain tensor attribute: bound as parameter or buffer it would be moved with the module anyway. */
static bool is_plain_constant(const struct check *check, uint32_t attribute, uint32_t class_id)
{
    const struct value *value = ask_value(check, attribute);
    if (!value_is_tensor(value) || !value_on_cpu(value) || value_has(value, VALUE_PARAMETER) ||
        value_has(value, VALUE_BUFFER))
        return false;
    struct site bindings[8];
    const uint32_t count =
        attribute_bindings(check->project, class_id, syntax_tail(check->tree, attribute), bindings, 8);
    if (count == 0 || count > 8)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t function = project_function_at(check->project, bindings[i]);
        if (function == SYNTAX_NONE || !str_eq(project_function(check->project, function)->name, S("__init__")))
            return false;
    }
    return true;
}

static uint32_t only_argument(const struct syntax *tree, uint32_t call)
{
    const uint32_t arguments = syntax_child(tree, call, 1);
    return syntax_child_count(tree, arguments) == 1 ? syntax_argument(tree, call, 0, "device") : SYNTAX_NONE;
}

static bool keep_in_module(struct patch *patch, uint32_t call, uint32_t what, struct edits *edits)
{
    const struct check *check = patch->check;
    const uint32_t function = project_function_at(check->project, check_site(check, call));
    const uint32_t class_id =
        function == SYNTAX_NONE ? SYNTAX_NONE : project_function(check->project, function)->class_id;
    const uint32_t device = only_argument(check->tree, call);
    if (class_id == SYNTAX_NONE || device == SYNTAX_NONE || !ask_own_attribute(check->tree, what) ||
        !str_eq(ask_tail(check, call), S("to")) || !str_eq(syntax_tail(check->tree, device), S("device")) ||
        syntax_is(check->tree, device, SYN_CALL) || !is_plain_constant(check, what, class_id))
        return false;
    const str attribute = patch_text(patch, what), where = patch_text(patch, device), move = patch_text(patch, call);
    patch_line_before(patch, patch_statement(patch, call),
                      patch_printf(patch, "if %.*s.device != %.*s:\n%.*s%.*s = %.*s", (int)attribute.len, attribute.at,
                                   (int)where.len, where.at, (int)patch_indent_unit(patch).len,
                                   patch_indent_unit(patch).at, (int)attribute.len, attribute.at, (int)move.len,
                                   move.at));
    patch_node(patch, call, attribute);
    return patch_hand_over(patch, edits);
}

/* ---- a literal: torch.tensor([1.0, 2.0], device=x.device) in forward ---- */

static bool in_module(const struct check *check, uint32_t node)
{
    const uint32_t function = project_function_at(check->project, check_site(check, node));
    const uint32_t class_id =
        function == SYNTAX_NONE ? SYNTAX_NONE : project_function(check->project, function)->class_id;
    return class_id != SYNTAX_NONE && project_class(check->project, class_id)->is_module;
}

/* `w = torch.tensor([...], device=x.device)`: a plain attribute of the module keeps it, by device. */
static bool keep_literal(struct patch *patch, uint32_t call, struct edits *edits)
{
    const struct check *check = patch->check;
    const struct syntax *tree = check->tree;
    const uint32_t statement = tree->parent[call], device = syntax_argument(tree, call, UINT32_MAX, "device");
    if (!syntax_is(tree, statement, SYN_ASSIGN) || syntax_child_count(tree, statement) != 2 ||
        !syntax_is(tree, syntax_first(tree, statement), SYN_NAME) || device == SYNTAX_NONE || !in_module(check, call) ||
        !str_eq(syntax_tail(tree, device), S("device")) || syntax_is(tree, device, SYN_CALL))
        return false;
    const struct definition *bound = flow_bound(check->project, check_site(check, syntax_first(tree, statement)));
    if (!bound || ask_changed(check, bound, 0, UINT32_MAX))
        return false;
    const str name = syntax_text(tree, syntax_first(tree, statement)), where = patch_text(patch, device);
    const str kept = patch_fresh_name(patch, patch_printf(patch, "_kept_%.*s", (int)name.len, name.at));
    const str value = patch_text(patch, call), unit = patch_indent_unit(patch);
    patch_line_before(patch, statement,
                      patch_printf(patch,
                                   "if getattr(self, \"%.*s\", None) is None or self.%.*s.device != %.*s:\n"
                                   "%.*sself.%.*s = %.*s",
                                   (int)kept.len, kept.at, (int)kept.len, kept.at, (int)where.len, where.at,
                                   (int)unit.len, unit.at, (int)kept.len, kept.at, (int)value.len, value.at));
    patch_node(patch, call, patch_printf(patch, "self.%.*s", (int)kept.len, kept.at));
    return patch_hand_over(patch, edits);
}

/* `self.x = self.x.to(...)` is what this rewrite makes. */
static bool is_kept_already(const struct syntax *tree, uint32_t call, uint32_t what)
{
    const uint32_t statement = tree->parent[call];
    return syntax_is(tree, statement, SYN_ASSIGN) && syntax_same(tree, syntax_first(tree, statement), tree, what);
}

/* What the match's call uploads; SYNTAX_NONE where there is nothing to rewrite. */
static uint32_t uploaded(const struct check *check, const struct match *match)
{
    const struct move_info move = value_move(check->project, check_site(check, match->node));
    const uint32_t what = move.what != SYNTAX_NONE ? move.what : match->captures[0];
    const bool call = syntax_is(check->tree, match->node, SYN_CALL);
    return call && what != SYNTAX_NONE && !is_kept_already(check->tree, match->node, what) ? what : SYNTAX_NONE;
}

static bool move_out_of_loop(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t call = match->node, what = uploaded(check, match);
    const uint32_t loop = what == SYNTAX_NONE ? SYNTAX_NONE : loop_to_leave(check, call);
    return loop != SYNTAX_NONE && hoist(&patch, call, what, loop, edits);
}

/*
 * On the module, at the first forward. Never safe: torch.jit.trace and torch.export see the first call change the module,
 * and a tensor that is made under torch.inference_mode() cannot be saved for a later backward.
 */
static bool keep_on_first_use(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t call = match->node, what = uploaded(check, match);
    if (what == SYNTAX_NONE || loop_to_leave(check, call) != SYNTAX_NONE)
        return false;
    return value_has(ask_value(check, what), VALUE_CONSTANT) ? keep_literal(&patch, call, edits)
                                                             : keep_in_module(&patch, call, what, edits);
}

static bool keep(const struct check *check, const struct match *match, struct edits *edits)
{
    return fix_into_buffer(check, match, edits) || keep_on_first_use(check, match, edits);
}

bool fix_repeated_upload(const struct check *check, const struct match *match, struct edits *edits)
{
    return match->fix == FIX_UNSAFE ? keep(check, match, edits) : move_out_of_loop(check, match, edits);
}

enum fix_kind fix_kind_of_repeated_upload(const struct check *check, const struct match *match)
{
    struct edits *trial = edits_new(check->arena, check->tree);
    if (move_out_of_loop(check, match, trial))
        return FIX_SAFE;
    return keep(check, match, trial) ? FIX_UNSAFE : FIX_NONE;
}
