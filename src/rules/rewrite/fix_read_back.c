/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites of reads that can be left out, done elsewhere, or done at once. Sums have their own file: fix_sum.c. */
#include "fix.h"
#include "layout.h"
#include "patch.h"
#include "rules/waits/read_back.h"
#include "source/flow/asks.h"

/* ---- ST405: nobody uses it ---- */

/* `x = x.cpu().numpy()`: the whole value is the read; SYNTAX_NONE where more hangs on the statement. */
static uint32_t dead_statement(const struct check *check, uint32_t call)
{
    uint32_t node = call;
    while (!syntax_is_statement(check->tree->kind[node])) {
        const uint32_t parent = check->tree->parent[node];
        const enum syntax_kind kind = check->tree->kind[parent];
        if (kind != SYN_ATTRIBUTE && kind != SYN_ASSIGN && kind != SYN_EXPR &&
            !(kind == SYN_CALL && syntax_first(check->tree, parent) == node))
            return SYNTAX_NONE;
        node = parent;
    }
    const enum syntax_kind kind = check->tree->kind[node];
    return kind == SYN_EXPR || (kind == SYN_ASSIGN && syntax_child_count(check->tree, node) == 2) ? node : SYNTAX_NONE;
}

static bool reads_name(const struct syntax *tree, uint32_t node, str name)
{
    for (uint32_t at = node; at < syntax_last(tree, node); at++)
        if (tree->kind[at] == SYN_NAME && str_eq(syntax_text(tree, at), name))
            return true;
    return false;
}

/* Whether a name of that text stands in a `del` below the node. */
static bool is_deleted(const struct syntax *tree, uint32_t within, str name)
{
    const uint32_t last = syntax_last(tree, within);
    for (uint32_t at = syntax_name_from(tree, name, within, last); at != SYNTAX_NONE;
         at = syntax_name_from(tree, name, at + 1, last))
        if (tree->kind[syntax_statement(tree, at)] == SYN_DELETE)
            return true;
    return false;
}

/* `del y` behind `y = x.cpu()` needs its y; behind `x = x.cpu()` it has one without. */
static bool name_stays_bound(const struct check *check, uint32_t statement, uint32_t what)
{
    if (check->tree->kind[statement] == SYN_EXPR)
        return true;
    const uint32_t target = syntax_first(check->tree, statement);
    if (!syntax_is(check->tree, target, SYN_NAME))
        return false;
    if (syntax_same(check->tree, target, check->tree, ask_root(check, what)))
        return true;
    const uint32_t function = syntax_function(check->tree, statement);
    const uint32_t from = function == SYNTAX_NONE ? 0 : function;
    return !is_deleted(check->tree, from, syntax_text(check->tree, target));
}

bool fix_dead_read_back(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t what = read_back_what(check, match->node);
    const uint32_t statement = dead_statement(check, match->node);
    if (what == SYNTAX_NONE || statement == SYNTAX_NONE || !name_stays_bound(check, statement, what))
        return false;
    if (flow_pure(check->project, check_site(check, what)))
        patch_delete(&patch, statement);
    else {
        const str kept = patch_text(&patch, what); /* model(x).cpu() still calls the model */
        patch_replace(&patch, check->tree->begin[statement], check->tree->end[statement], kept);
    }
    return patch_hand_over(&patch, edits);
}

/* ---- ST408: it was on the host before ---- */

/* Whether the content of what the name is bound to changes between two places. */
static bool changes_between(const struct check *check, uint32_t name, uint32_t from, uint32_t to)
{
    const str text = syntax_text(check->tree, name);
    for (uint32_t node = syntax_name_from(check->tree, text, from, to); node != SYNTAX_NONE;
         node = syntax_name_from(check->tree, text, node + 1, to)) {
        const struct definition *bound = flow_bound(check->project, check_site(check, node));
        if ((!bound || bound->kind == DEFINED_AUGMENT) && flow_use_changes(check->project, check_site(check, node)))
            return true;
    }
    return false;
}

/* x.cuda() or x.to(device): what it gives has the values of x, and their type. */
static bool only_moves(const struct check *check, uint32_t call)
{
    const struct syntax *tree = check->tree;
    if (!calls_one_of(tree, call, WORDS_MOVE_TO_DEVICE))
        return false;
    const uint32_t arguments = syntax_child(tree, call, 1);
    uint32_t places = 0;
    for (uint32_t at = syntax_first(tree, arguments); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        if (!syntax_is(tree, at, SYN_KEYWORD)) {
            places++;
            continue;
        }
        const str name = syntax_text(tree, syntax_first(tree, at));
        if (!str_eq(name, S("device")) && !str_eq(name, S("non_blocking")))
            return false;
    }
    return places <= 1 && !syntax_arguments_hidden(tree, call);
}

bool fix_echo_read_back(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t root = ask_root(check, read_back_what(check, match->node));
    const struct definition *upload = flow_definition(check->project, check_site(check, root));
    if (!upload || upload->kind != DEFINED_ASSIGN || upload->unpacked || !syntax_is(check->tree, root, SYN_NAME) ||
        syntax_child_count(check->tree, upload->statement) != 2)
        return false;
    const struct move_info move = value_move(check->project, check_site(check, upload->value));
    if (!only_moves(check, upload->value) || move.what == SYNTAX_NONE || !syntax_is(check->tree, move.what, SYN_NAME) ||
        syntax_function(check->tree, move.what) != syntax_function(check->tree, root) ||
        changes_between(check, root, syntax_last(check->tree, upload->statement), root) ||
        changes_between(check, move.what, syntax_last(check->tree, upload->statement), root))
        return false;
    if (!syntax_same(check->tree, move.what, check->tree, root)) {
        const struct definition *host = flow_definition(check->project, check_site(check, move.what));
        const str text = syntax_text(check->tree, move.what);
        for (uint32_t node = syntax_last(check->tree, upload->statement);
             (node = syntax_name_from(check->tree, text, node, root)) != SYNTAX_NONE; node++)
            if (flow_bound(check->project, check_site(check, node)))
                return false; /* the host name means something else by now */
        if (!host)
            return false;
        patch_node(&patch, root, syntax_text(check->tree, move.what));
        return patch_hand_over(&patch, edits);
    }
    const str name = syntax_text(check->tree, root);
    const str host =
        patch_fresh_local(&patch, upload->statement, patch_printf(&patch, "%.*s_on_host", (int)name.len, name.at));
    patch_line_before(&patch, upload->statement,
                      patch_printf(&patch, "%.*s = %.*s", (int)host.len, host.at, (int)name.len, name.at));
    patch_node(&patch, root, host);
    return patch_hand_over(&patch, edits);
}

/* ---- ST409: several at once ---- */

enum { READS = 16 };

bool is_floating(const struct value *value)
{
    return value->dtype == DTYPE_FLOAT32 || value->dtype == DTYPE_FLOAT64 || value->dtype == DTYPE_FLOAT16 ||
           (value->dtype == DTYPE_UNKNOWN && value_has(value, VALUE_GRAD));
}

/* x.item() or float(x) of a floating x that can be evaluated earlier without a difference. */
static bool can_be_stacked(const struct check *check, uint32_t call)
{
    const uint32_t what = read_back_what(check, call);
    const str tail = ask_tail(check, call);
    return what != SYNTAX_NONE && (str_eq(tail, S("item")) || str_eq(tail, S("float"))) &&
           is_floating(ask_value(check, what)) && flow_pure(check->project, check_site(check, what));
}

/* A read that is not evaluated each time the statement is: behind `and`, in a lambda or a comprehension. */
static bool is_conditional(const struct syntax *tree, uint32_t node, uint32_t statement)
{
    for (uint32_t at = tree->parent[node]; at != statement; at = tree->parent[at])
        switch (tree->kind[at]) {
        case SYN_BOOL:
        case SYN_CONDITIONAL:
        case SYN_LAMBDA:
        case SYN_LIST_COMP:
        case SYN_SET_COMP:
        case SYN_DICT_COMP:
        case SYN_GENERATOR:
            return true;
        default:
            break;
        }
    return false;
}

static bool is_simple(enum syntax_kind kind)
{
    return kind == SYN_ASSIGN || kind == SYN_EXPR || kind == SYN_AUG_ASSIGN || kind == SYN_RETURN;
}

struct reads {
    uint32_t at[READS];
    uint32_t count;
    bool whole; /* all reads of the statement can be stacked */
};

static void add_reads(const struct check *check, uint32_t statement, struct reads *reads)
{
    for (uint32_t node = statement; node < syntax_last(check->tree, statement); node++) {
        if (!syntax_is(check->tree, node, SYN_CALL))
            continue;
        if (read_back_what(check, node) == SYNTAX_NONE) { /* of something that may lie on the device as well */
            reads->whole = reads->whole && !syntax_calls(check->tree, node, S("item"));
            continue;
        }
        if (!can_be_stacked(check, node) || is_conditional(check->tree, node, statement) || reads->count == READS)
            reads->whole = false;
        else
            reads->at[reads->count++] = node;
    }
}

/* A statement `name = x.item()` and nothing else: what may be drawn together with its neighbours. */
static bool is_plain_read(const struct check *check, uint32_t statement)
{
    if (!syntax_is(check->tree, statement, SYN_ASSIGN) || syntax_child_count(check->tree, statement) != 2)
        return false;
    const uint32_t value = syntax_last_child(check->tree, statement);
    return syntax_is(check->tree, syntax_first(check->tree, statement), SYN_NAME) &&
           syntax_is(check->tree, value, SYN_CALL) && can_be_stacked(check, value);
}

static uint32_t previous(const struct syntax *tree, uint32_t statement)
{
    uint32_t before = SYNTAX_NONE;
    for (uint32_t at = syntax_first(tree, tree->parent[statement]); at != statement; at = syntax_next(tree, at))
        before = at;
    return before;
}

/* The first of a row of plain reads in which none needs the value of one before. */
static uint32_t first_of_row(const struct check *check, uint32_t statement)
{
    for (;;) {
        const uint32_t before = previous(check->tree, statement);
        if (before == SYNTAX_NONE || !is_plain_read(check, before))
            return statement;
        statement = before;
    }
}

/* A stack takes tensors of one shape: those that may have one element in a dimension are made scalars. */
static str stacked_item(const struct patch *patch, uint32_t read)
{
    const uint32_t what = read_back_what(patch->check, read);
    if (ask_value(patch->check, what)->rank == RANK_0)
        return patch_text(patch, what);
    const str text = patch_primary(patch, what);
    return patch_printf(patch, "%.*s.reshape(())", (int)text.len, text.at);
}

/*
 * names = torch.stack([a, b]).tolist(), on lines as black has them where it is too long for one. Floats of different
 * types are widened to the widest of them, and .tolist() widens as .item() does: the same numbers.
 */
static str stack_line(struct patch *patch, str names, const struct reads *reads, uint32_t statement)
{
    struct buf row = {0}, tall = {0};
    const str torch = patch_module(patch, "torch"), unit = patch_indent_unit(patch);
    for (uint32_t i = 0; i < reads->count; i++) {
        const str item = stacked_item(patch, reads->at[i]);
        buf_printf(&row, "%s%.*s", i ? ", " : "", (int)item.len, item.at);
        buf_printf(&tall, "%.*s%.*s%.*s,\n", (int)unit.len, unit.at, (int)unit.len, unit.at, (int)item.len, item.at);
    }
    str line = patch_printf(patch, "%.*s = %.*s.stack([%.*s]).tolist()", (int)names.len, names.at, (int)torch.len,
                            torch.at, (int)row.len, row.at);
    const struct syntax *tree = patch->check->tree;
    const uint32_t indent = (uint32_t)syntax_indent(tree, statement).len, width = layout_width(tree);
    if (indent + line.len > width && indent + unit.len + row.len + 2 <= width)
        line = patch_printf(patch, "%.*s = %.*s.stack(\n%.*s[%.*s]\n).tolist()", (int)names.len, names.at,
                            (int)torch.len, torch.at, (int)unit.len, unit.at, (int)row.len, row.at);
    else if (indent + line.len > width)
        line = patch_printf(patch, "%.*s = %.*s.stack(\n%.*s[\n%.*s%.*s]\n).tolist()", (int)names.len, names.at,
                            (int)torch.len, torch.at, (int)unit.len, unit.at, (int)tall.len, tall.at, (int)unit.len,
                            unit.at);
    buf_free(&row);
    buf_free(&tall);
    return line;
}

static bool stack_row(struct patch *patch, uint32_t first, struct edits *edits)
{
    const struct syntax *tree = patch->check->tree;
    struct reads reads = {.whole = true};
    struct buf names = {0};
    uint32_t last = first;
    for (uint32_t at = first; at != SYNTAX_NONE && is_plain_read(patch->check, at) && reads.count < READS;
         at = syntax_next(tree, at)) {
        const str name = syntax_text(tree, syntax_first(tree, at));
        for (uint32_t i = first; i < at; i = syntax_next(tree, i))
            if (reads_name(tree, syntax_last_child(tree, at), syntax_text(tree, syntax_first(tree, i))))
                patch_refuse(patch);
        buf_printf(&names, "%s%.*s", reads.count ? ", " : "", (int)name.len, name.at);
        reads.at[reads.count++] = syntax_last_child(tree, at);
        last = at;
    }
    const str line = stack_line(patch, buf_str(&names), &reads, first);
    buf_free(&names);
    for (uint32_t at = syntax_next(tree, first); last != first; at = syntax_next(tree, at)) {
        patch_delete(patch, at);
        if (at == last)
            break;
    }
    if (memchr(line.at, '\n', line.len)) { /* several lines are indented as lines */
        patch_line_before(patch, first, line);
        patch_delete(patch, first);
    } else
        patch_replace(patch, tree->begin[first], tree->end[first], line);
    return reads.count > 1 && patch_hand_over(patch, edits);
}

/* `x` of x.data, x.detach(): the same numbers. */
static uint32_t behind_detach(const struct check *check, uint32_t node)
{
    for (;;) {
        const uint32_t receiver = ask_receiver(check, node);
        if (receiver != SYNTAX_NONE && str_eq(ask_tail(check, node), S("detach")))
            node = receiver;
        else if (syntax_is(check->tree, node, SYN_ATTRIBUTE) && str_eq(syntax_tail(check->tree, node), S("data")))
            node = syntax_first(check->tree, node);
        else
            return node;
    }
}

/* Whether "a, b" has this name among its own. */
static bool lists_name(str names, str name)
{
    str each;
    while (str_cut(&names, ',', &each))
        if (str_eq(str_trim(each), name))
            return true;
    return false;
}

/* "loss_value" of loss, "value_mean" of value.mean(). */
static str name_of_value(const struct patch *patch, uint32_t what)
{
    const struct check *check = patch->check;
    what = behind_detach(check, what);
    const uint32_t receiver = ask_receiver(check, ask_root(check, what));
    const uint32_t root = ask_root(check, receiver == SYNTAX_NONE ? what : receiver);
    const bool named = syntax_is(check->tree, root, SYN_NAME);
    const str base = named ? syntax_text(check->tree, root) : S("number");
    const str end = named && receiver != SYNTAX_NONE ? ask_tail(check, ask_root(check, what)) : S("value");
    return patch_printf(patch, "%.*s_%.*s", (int)base.len, base.at, (int)end.len, end.at);
}

static bool stack_statement(struct patch *patch, uint32_t statement, struct edits *edits)
{
    const struct check *check = patch->check;
    struct reads reads = {.whole = true};
    add_reads(check, statement, &reads);
    if (!reads.whole || reads.count < 2 || !is_simple(check->tree->kind[statement]))
        return false;
    struct buf names = {0};
    for (uint32_t i = 0; i < reads.count; i++) {
        const str base = name_of_value(patch, read_back_what(check, reads.at[i]));
        const str name = patch_fresh_local(
            patch, statement,
            patch_printf(patch, "%.*s%s", (int)base.len, base.at,
                         lists_name(buf_str(&names), base) ? patch_printf(patch, "_%u", i + 1).at : ""));
        buf_printf(&names, "%s%.*s", i ? ", " : "", (int)name.len, name.at);
        patch_node(patch, reads.at[i], name);
    }
    patch_line_before(patch, statement, stack_line(patch, buf_str(&names), &reads, statement));
    buf_free(&names);
    return patch_hand_over(patch, edits);
}

/* Reads of one statement are made one together: the first of them writes the edit. */
static bool is_first_of_statement(const struct check *check, uint32_t statement, uint32_t call)
{
    for (uint32_t node = call; node-- > statement;) /* backward: one that comes before is mostly near */
        if (syntax_is(check->tree, node, SYN_CALL) && read_back_of(check, node) == READ_SCATTERED)
            return false;
    return true;
}

bool fix_scattered_read_backs(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t statement = syntax_statement(check->tree, match->node);
    if (!is_plain_read(check, statement))
        return is_first_of_statement(check, statement, match->node) && stack_statement(&patch, statement, edits);
    const uint32_t first = first_of_row(check, statement);
    return first == statement && stack_row(&patch, first, edits); /* the others go with the first */
}
