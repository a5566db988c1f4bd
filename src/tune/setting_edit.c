/* SPDX-License-Identifier: Apache-2.0 */
#include "setting_edit.h"

#include "rules/rewrite/patch.h"

enum { NO_PLACE = 99 }; /* it is given by name alone */

static bool is_callee(const struct setting_edit *edit, str tail)
{
    static const char *const optimizers[] = {"Adam", "AdamW", "SGD", "Adagrad"};
    if (edit->of_loader)
        return str_eq(tail, S("DataLoader"));
    for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++)
        if (str_eq(tail, str_of(optimizers[i])))
            return true;
    return false;
}

/* The one call of such a thing that begins in that line; SYNTAX_NONE. */
static uint32_t find_call(const struct setting_edit *edit, const struct syntax *tree)
{
    uint32_t found = SYNTAX_NONE;
    for (uint32_t node = 0; node < tree->count; node++) {
        if (tree->kind[node] != SYN_CALL || (int64_t)syntax_place(tree, tree->begin[node]).line != edit->line ||
            !is_callee(edit, syntax_tail(tree, syntax_first(tree, node))))
            continue;
        if (found != SYNTAX_NONE)
            return SYNTAX_NONE;
        found = node;
    }
    return found;
}

/* Of DataLoader.__init__. */
static uint32_t place_of(str name)
{
    static const struct {
        str name;
        uint32_t place;
    } places[] = {{S("batch_size"), 1}, {S("num_workers"), 5}, {S("pin_memory"), 7}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (str_eq(places[i].name, name))
            return places[i].place;
    return NO_PLACE;
}

static void give_argument(struct patch *patch, uint32_t call, str words)
{
    str rest = words, name;
    str_cut(&rest, '=', &name);
    const uint32_t given = syntax_argument(patch->check->tree, call, place_of(name), str_z(patch->check->arena, name));
    if (given == SYNTAX_NONE)
        patch_argument(patch, call, words);
    else
        patch_node(patch, given, rest);
}

static void take_edits(struct setting_edit *edit, struct edits *edits, struct arena *arena)
{
    const struct edit *const at = edits_list(edits, &edit->edits.count);
    edit->edits.at = arena_array(arena, edit->edits.count, sizeof *edit->edits.at);
    for (uint32_t i = 0; i < edit->edits.count; i++)
        edit->edits.at[i] = at[i];
    edit->after = edits_apply(edits, arena);
}

bool setting_edit_make(struct setting_edit *edit, struct arena *arena)
{
    const struct syntax *const tree = syntax_parse(arena, edit->path, edit->before);
    const uint32_t call = tree ? find_call(edit, tree) : SYNTAX_NONE;
    if (call == SYNTAX_NONE) {
        edit->why = "that line has no call, or more than one, that makes it by its own name";
        return false;
    }
    if (syntax_arguments_hidden(tree, call)) {
        edit->why = "its arguments come through * or **";
        return false;
    }
    const struct check check = {.tree = tree, .arena = arena};
    struct edits *const edits = edits_new(arena, tree);
    struct patch patch = {.check = &check, .edits = edits};
    give_argument(&patch, call, edit->words);
    if (!patch_hand_over(&patch, edits) || edits_settle(edits)) {
        edit->why = "the call cannot be changed cleanly";
        return false;
    }
    take_edits(edit, edits, arena);
    return true;
}
