/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites of family 6: copies made smaller, made asynchronous, or not made at all. */
#include "fix.h"
#include "patch.h"
#include "rules/loaders/loader.h"
#include "rules/loaders/loader_use.h"
#include "rules/uploads/upload.h"
#include "source/known/known_words.h"

static const struct syntax *tree_of(const struct patch *patch)
{
    return patch->check->tree;
}

/* The device of `x.to(device)` or `x.cuda()` as text; "" where the call says more than a device. */
static str device_text(const struct patch *patch, uint32_t move)
{
    const struct syntax *tree = tree_of(patch);
    const str method = syntax_tail(tree, syntax_first(tree, move));
    const uint32_t arguments = syntax_child(tree, move, 1);
    if (syntax_arguments_hidden(tree, move))
        return S("");
    uint32_t device = SYNTAX_NONE;
    for (uint32_t at = syntax_first(tree, arguments); at != SYNTAX_NONE; at = syntax_next(tree, at)) {
        if (tree->kind[at] != SYN_KEYWORD)
            device = device == SYNTAX_NONE ? at : 0;
        else if (str_eq(syntax_text(tree, syntax_first(tree, at)), S("device")))
            device = device == SYNTAX_NONE ? syntax_child(tree, at, 1) : 0;
        else if (!str_eq(syntax_text(tree, syntax_first(tree, at)), S("non_blocking")))
            return S("");
    }
    if (device == 0)
        return S("");
    if (device == SYNTAX_NONE)
        return str_eq(method, S("cuda")) ? S("\"cuda\"") : S("");
    const uint8_t kind = ask_value(patch->check, device)->kind;
    if (kind == VALUE_DTYPE || kind == VALUE_TENSOR)
        return S("");
    return syntax_is(tree, device, SYN_INTEGER) ? S("") : patch_text(patch, device);
}

static bool is_plain_move(const struct syntax *tree, uint32_t call)
{
    const str tail = syntax_tail(tree, syntax_first(tree, call));
    return syntax_is(tree, syntax_first(tree, call), SYN_ATTRIBUTE) &&
           (str_eq(tail, S("to")) || str_eq(tail, S("cuda")));
}

/* ---- wrappers: def to_gpu(x): return x.to(device) ---- */

/* The one move in a function of this file, a `return x.to(...)`; SYNTAX_NONE. */
static uint32_t move_in(const struct check *check, uint32_t function)
{
    const struct function *found = project_function(check->project, function);
    if (found->file != check->file)
        return SYNTAX_NONE;
    uint32_t move = SYNTAX_NONE;
    for (uint32_t node = found->node; node < syntax_last(check->tree, found->node); node++) {
        if (!syntax_is(check->tree, node, SYN_CALL) || !is_plain_move(check->tree, node))
            continue;
        if (move != SYNTAX_NONE)
            return SYNTAX_NONE;
        move = node;
    }
    return move;
}

static bool returns_at_once(const struct check *check, uint32_t function, uint32_t move)
{
    const uint32_t block = syntax_last_child(check->tree, project_function(check->project, function)->node);
    const uint32_t statement = check->tree->parent[move];
    return syntax_is(check->tree, statement, SYN_RETURN) && check->tree->parent[statement] == block;
}

/* Whether the text of a wrapper's device means the same where the wrapper is called: a name of the module. */
static bool means_the_same(const struct check *check, uint32_t device, uint32_t call)
{
    if (!syntax_is(check->tree, device, SYN_NAME))
        return false;
    const struct definition *there = flow_definition(check->project, check_site(check, device));
    if (there && there->kind != DEFINED_OUTSIDE)
        return false;
    const uint32_t around =
        syntax_function(check->tree, call); /* it must not have a name of its own that reads alike */
    const str name = syntax_text(check->tree, device);
    const uint32_t from = around == SYNTAX_NONE ? 0 : around;
    for (uint32_t node = from; node < (around == SYNTAX_NONE ? 0 : syntax_last(check->tree, around)); node++)
        if (syntax_is(check->tree, node, SYN_NAME) && str_eq(syntax_text(check->tree, node), name) &&
            flow_bound(check->project, check_site(check, node)))
            return false;
    return true;
}

static str device_of_wrapper(const struct patch *patch, uint32_t call)
{
    const struct check *check = patch->check;
    const uint32_t function = name_target(check->project, check_site(check, call));
    const uint32_t move = function == SYNTAX_NONE ? SYNTAX_NONE : move_in(check, function);
    if (move == SYNTAX_NONE || !returns_at_once(check, function, move))
        return S("");
    const uint32_t device = syntax_argument(check->tree, move, 0, "device");
    return device != SYNTAX_NONE && means_the_same(check, device, call) ? device_text(patch, move) : S("");
}

/* ---- ST601 ---- */

static bool has_device(const struct syntax *tree, uint32_t creation)
{
    return syntax_arguments_hidden(tree, creation) ||
           syntax_argument(tree, creation, UINT32_MAX, "device") != SYNTAX_NONE ||
           syntax_argument(tree, creation, UINT32_MAX, "out") != SYNTAX_NONE;
}

/* torch.Tensor(n, m) has no device=; torch.bernoulli(p) and torch.normal(m, s) go where their tensors are. */
static bool takes_device(const struct check *check, uint32_t creation)
{
    return !ask_named(check, creation, "torch.bernoulli") && !ask_named(check, creation, "torch.normal") &&
           !str_ends(ask_tail(check, creation), S("Tensor"));
}

static uint32_t creation_for(const struct check *check, uint32_t origin)
{
    if (takes_device(check, origin))
        return origin;
    const uint32_t inner = ask_root(check, syntax_argument(check->tree, origin, 0, NULL));
    const bool one = syntax_child_count(check->tree, syntax_child(check->tree, origin, 1)) == 1;
    return one && inner != SYNTAX_NONE && upload_is_creation(check, inner) && takes_device(check, inner) ? inner
                                                                                                         : SYNTAX_NONE;
}

/* `h = torch.zeros(n)` right before `h = h.to(device)`: the second statement goes. */
static bool drop_next_statement(struct patch *patch, const struct upload *upload, uint32_t move)
{
    const struct check *check = patch->check;
    const struct syntax *tree = check->tree;
    const uint32_t second = tree->parent[move];
    if (!syntax_is(tree, upload->what, SYN_NAME) || !syntax_is(tree, second, SYN_ASSIGN) ||
        syntax_child_count(tree, second) != 2 || !syntax_same(tree, syntax_first(tree, second), tree, upload->what))
        return false;
    const struct definition *made = flow_definition(check->project, check_site(check, upload->what));
    if (!made || syntax_next(tree, made->statement) != second || syntax_child_count(tree, made->statement) != 2 ||
        !syntax_inside(tree, upload->origin, made->statement))
        return false;
    patch_delete(patch, second);
    return true;
}

bool fix_create_then_move(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const struct syntax *tree = check->tree;
    const struct upload upload = upload_of(check, match->node);
    if (!upload.is)
        return false;
    const uint32_t creation = creation_for(check, upload.origin);
    if (creation == SYNTAX_NONE || has_device(tree, creation))
        return false;
    const bool method = is_plain_move(tree, match->node);
    const str device = method ? device_text(&patch, match->node) : device_of_wrapper(&patch, match->node);
    if (!device.len)
        return false;
    if (!syntax_inside(tree, upload.origin, match->node)) {
        patch_argument(&patch, creation, patch_printf(&patch, "device=%.*s", (int)device.len, device.at));
        return drop_next_statement(&patch, &upload, match->node) && patch_hand_over(&patch, edits);
    }
    uint32_t begin, end;
    syntax_outer(tree, upload.what, &begin, &end);
    if (begin > tree->begin[match->node])
        patch_replace(&patch, tree->begin[match->node], begin, S(""));
    patch_argument(&patch, creation, patch_printf(&patch, "device=%.*s", (int)device.len, device.at));
    patch_replace(&patch, end, tree->end[match->node], S(""));
    return patch_hand_over(&patch, edits);
}

/* ---- ST602 ---- */

/* `x[...] = v` or `x.sub_(v)` behind the copy would reach a copy that is still under way. */
static bool changes_later(const struct check *check, uint32_t what, uint32_t call)
{
    const uint32_t root = ask_root(check, what);
    if (!syntax_is(check->tree, root, SYN_NAME))
        return false;
    const struct definition *definition = flow_definition(check->project, check_site(check, root));
    return definition && ask_changed(check, definition, call, UINT32_MAX);
}

/*
 * With workers another thread pins, and a copy of pinned memory takes half the time though it waits. Without them the
 * training thread itself pins, which gains where a copy then runs on alone.
 */
static bool gains_by_pinning(const struct check *check, uint32_t call, const struct loader_use *use)
{
    const uint32_t argument = loader_argument(check, call, LOADER_NUM_WORKERS);
    const bool workers = argument != SYNTAX_NONE && !(syntax_is(check->tree, argument, SYN_INTEGER) &&
                                                      str_eq(syntax_text(check->tree, argument), S("0")));
    if (site_is_none(use->copied_at))
        return use->given_away && workers;
    return use->copies_itself && (workers || use->copies_run_on);
}

/*
 * Pinning is worth its memory where a copy of the batches follows: one that is seen, or that of a framework which takes
 * the loader. Rows of an index, texts and objects that somebody else copies gain nothing.
 */
static bool fix_loader(struct patch *patch, uint32_t call, struct edits *edits)
{
    const struct loader_use use = loader_use_with_copies(patch->check, call);
    if (!gains_by_pinning(patch->check, call, &use))
        return false;
    const str torch = patch_module(patch, "torch");
    const str available = patch_printf(patch, "%.*s.cuda.is_available()", (int)torch.len, torch.at);
    const uint32_t pin = loader_argument(patch->check, call, LOADER_PIN_MEMORY);
    if (pin != SYNTAX_NONE)
        patch_node(patch, pin, available);
    else
        patch_argument(patch, call, patch_printf(patch, "pin_memory=%.*s", (int)available.len, available.at));
    return patch_hand_over(patch, edits);
}

/* A view of what is pinned is pinned. */
static bool is_pinned(const struct check *check, uint32_t what)
{
    while (!value_has(ask_value(check, what), VALUE_PINNED)) {
        if (!syntax_is(check->tree, what, SYN_CALL) || !known_word(WORDS_VIEWS_OF_TENSOR, ask_tail(check, what)))
            return false;
        what = ask_receiver(check, what);
        if (what == SYNTAX_NONE)
            return false;
    }
    return true;
}

/* x.to(device), x.cuda(), x.type(torch.cuda.FloatTensor): methods that take non_blocking=. */
static bool takes_non_blocking(const struct syntax *tree, uint32_t call)
{
    return is_plain_move(tree, call) ||
           (syntax_calls(tree, call, S("type")) && syntax_is(tree, syntax_first(tree, call), SYN_ATTRIBUTE) &&
            syntax_child_count(tree, syntax_child(tree, call, 1)) == 1);
}

/* A module has a .cuda() too, which takes no non_blocking=: whether all that the helper is called with are tensors. */
static bool takes_tensors_alone(const struct check *check, uint32_t function)
{
    uint32_t count;
    const struct site *callers = name_callers(check->project, function, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct check there = {check->project, callers[i].file, project_tree(check->project, callers[i].file),
                                    check->arena};
        const uint32_t arguments = syntax_child(there.tree, callers[i].node, 1);
        for (uint32_t at = syntax_first(there.tree, arguments); at != SYNTAX_NONE; at = syntax_next(there.tree, at)) {
            const uint8_t kind = ask_value(&there, at)->kind;
            if (kind != VALUE_TENSOR && kind != VALUE_BATCH)
                return false;
        }
    }
    return true;
}

/* The move to which non_blocking=True is added so that this copy of pinned memory does not wait; SYNTAX_NONE. */
static uint32_t move_to_unblock(const struct check *check, uint32_t call)
{
    const struct upload upload = upload_of(check, call);
    if (!upload.is || !upload_is_batch(check, &upload) || upload.constructor || !is_pinned(check, upload.what) ||
        changes_later(check, upload.what, call))
        return SYNTAX_NONE;
    uint32_t move = call;
    if (!takes_non_blocking(check->tree, move)) {
        const uint32_t function = name_target(check->project, check_site(check, move));
        move =
            function == SYNTAX_NONE || !takes_tensors_alone(check, function) ? SYNTAX_NONE : move_in(check, function);
    }
    return move == SYNTAX_NONE || syntax_arguments_hidden(check->tree, move) ||
                   syntax_argument(check->tree, move, UINT32_MAX, "non_blocking") != SYNTAX_NONE
               ? SYNTAX_NONE
               : move;
}

bool fix_blocking_copy(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    if (loader_is(check, match->node))
        return fix_loader(&patch, match->node, edits);
    const uint32_t statement = syntax_statement(check->tree, match->node);
    bool found = false;
    for (uint32_t node = statement; node < syntax_last(check->tree, statement); node++) {
        if (!syntax_is(check->tree, node, SYN_CALL) || syntax_statement(check->tree, node) != statement)
            continue;
        const uint32_t move = move_to_unblock(check, node);
        if (move == SYNTAX_NONE)
            continue;
        if (!found && node != match->node)
            return false; /* the first copy of the statement takes the others along */
        if (found && !syntax_inside(check->tree, move, statement))
            continue; /* through the same helper */
        found = true;
        patch_argument(&patch, move, S("non_blocking=True"));
    }
    return found && patch_hand_over(&patch, edits);
}

/* ---- ST502: the same, of the parts of a batch ---- */

bool fix_can_unblock(const struct check *check, uint32_t call)
{
    return move_to_unblock(check, call) != SYNTAX_NONE;
}

bool fix_many_small_uploads(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const uint32_t move = match->capture_count < 2 ? SYNTAX_NONE : move_to_unblock(check, match->captures[1]);
    if (move == SYNTAX_NONE)
        return false;
    patch_argument(&patch, move, S("non_blocking=True"));
    return patch_hand_over(&patch, edits);
}

/* ---- ST603 ---- */

bool fix_oversized_upload(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const struct syntax *tree = check->tree;
    const struct upload upload = upload_of(check, match->captures[0]);
    if (!upload.is)
        return false;
    uint32_t begin, end, move_begin, move_end;
    syntax_outer(tree, upload.what, &begin, &end);
    syntax_outer(tree, match->captures[0], &move_begin, &move_end);
    const str cast = {tree->text.at + move_end, tree->end[match->node] - move_end}; /* ".float()" */
    const str what = patch_primary(&patch, upload.what);
    patch_replace(&patch, begin, end, patch_printf(&patch, "%.*s%.*s", (int)what.len, what.at, (int)cast.len, cast.at));
    patch_replace(&patch, move_end, tree->end[match->node], S(""));
    return patch_hand_over(&patch, edits);
}

/* ---- ST604 ---- */

/* An iterable dataset would be read by each worker in full. */
static bool is_map_style(const struct check *check, uint32_t dataset)
{
    const struct value *value = ask_value(check, dataset);
    return value->detail != SYNTAX_NONE && (value->kind == VALUE_DATASET || value->kind == VALUE_INSTANCE) &&
           project_method(check->project, value->detail, S("__getitem__")) != SYNTAX_NONE &&
           project_method(check->project, value->detail, S("__iter__")) == SYNTAX_NONE;
}

bool fix_synchronous_loader(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    if (!is_map_style(check, loader_argument(check, match->node, LOADER_DATASET)))
        return false;
    const uint32_t workers = loader_argument(check, match->node, LOADER_NUM_WORKERS);
    if (workers != SYNTAX_NONE)
        patch_node(&patch, workers, S("2"));
    else
        patch_argument(&patch, match->node, S("num_workers=2"));
    return patch_hand_over(&patch, edits);
}
