/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes wait, and which launch next to nothing. */
#include "drain.h"

#include "rules/waits/read_back.h"
#include "rules/uploads/upload.h"
#include "rules/waits/waits.h"
#include "source/known/known_words.h"
#include "source/known/names.h"

/* ---- waits ---- */

static bool says_non_blocking(const struct check *check, uint32_t call)
{
    const uint32_t said = syntax_argument(check->tree, call, UINT32_MAX, "non_blocking");
    return (said != SYNTAX_NONE && !syntax_is(check->tree, said, SYN_FALSE)) ||
           syntax_arguments_hidden(check->tree, call);
}

/* `x.item()` of a parameter, where a helper reads whatever tensor it is given. */
static bool reads_what_is_given(const struct check *check, uint32_t call)
{
    const uint32_t what = ask_receiver(check, call);
    if (!syntax_is(check->tree, what, SYN_NAME) || !known_word(WORDS_READ_ITEMS, ask_tail(check, call)) ||
        !project_uses_device(check->project, check->file))
        return false;
    const struct value *value = ask_value(check, what);
    const struct definition *definition = flow_definition(check->project, check_site(check, what));
    return definition && definition->kind == DEFINED_PARAMETER && value->device != DEVICE_CPU &&
           (value->kind == VALUE_UNKNOWN || value->kind == VALUE_TENSOR);
}

static bool reads(const struct check *check, uint32_t call)
{
    if (reads_what_is_given(check, call))
        return true;
    return read_back_what(check, call) != SYNTAX_NONE && !says_non_blocking(check, call);
}

/* The x of `[x.to(device) for x, y in next(batches)]`: what an iterator hands out lies on the host. */
static bool is_handed_out(const struct check *check, uint32_t what)
{
    if (!syntax_is(check->tree, what, SYN_NAME) || ask_value(check, what)->device != DEVICE_UNKNOWN)
        return false;
    const struct definition *definition = flow_definition(check->project, check_site(check, what));
    return definition && definition->kind == DEFINED_FOR && definition->value != SYNTAX_NONE &&
           ask_named(check, definition->value, "next") && ask_value(check, definition->value)->device == DEVICE_UNKNOWN;
}

/* A copy from memory that is not pinned waits for what was queued before it: of what is known to lie on the host. */
static bool uploads(const struct check *check, uint32_t call)
{
    const struct move_info move = value_move(check->project, check_site(check, call));
    if (move.move != MOVE_UPLOAD || move.is_module || move.wrapper || move.non_blocking || move.non_blocking_hidden ||
        move.what == SYNTAX_NONE)
        return false;
    const struct value *what = ask_value(check, move.what);
    return is_handed_out(check, move.what) || value_on_cpu(what) || value_is_number(what) || value_is_container(what) ||
           what->kind == VALUE_ARRAY;
}

static bool synchronizes(const struct check *check, uint32_t call)
{
    return syntax_calls(check->tree, call, S("synchronize")) &&
           known_word(WORDS_WAIT, name_of(check->project, check_site(check, call)));
}

/* `torch.all(finite)`: one answer about a tensor, which lies on the device unless it is known to lie elsewhere. */
static bool is_one_answer(const struct check *check, uint32_t node)
{
    static const char names[] = "any all equal allclose is_nonzero";
    return syntax_is(check->tree, node, SYN_CALL) && str_is_among(names, ask_tail(check, node)) &&
           name_under(check->project, check_site(check, node), "torch.") &&
           ask_value(check, node)->device != DEVICE_CPU && project_uses_device(check->project, check->file);
}

/* `if mask.any():`, `assert not x.isnan().any()`, `[.. for x in xs if x > 0]`: Python asks for its truth. */
static bool is_asked(const struct check *check, uint32_t node)
{
    const struct syntax *tree = check->tree;
    if (tree->kind[node] == SYN_BOOL || tree->kind[node] == SYN_NOT ||
        (!ask_gpu_tensor(check, node) && !is_one_answer(check, node)))
        return false;
    uint32_t asked = node;
    while (syntax_is(tree, tree->parent[asked], SYN_NOT) || syntax_is(tree, tree->parent[asked], SYN_BOOL))
        asked = tree->parent[asked];
    const uint32_t around = tree->parent[asked];
    const bool tests = syntax_is(tree, around, SYN_IF) || syntax_is(tree, around, SYN_WHILE) ||
                       syntax_is(tree, around, SYN_ASSERT) || syntax_is(tree, around, SYN_COMP_IF);
    return tests ? syntax_first(tree, around) == asked
                 : syntax_is(tree, around, SYN_CONDITIONAL) && syntax_child(tree, around, 1) == asked;
}

/* A call of a library that waits there, not in each of the steps that it sets up. */
static bool waits_inside(const struct check *check, uint32_t call)
{
    const struct wait *wait = project_uses_device(check->project, check->file) ? waits_of(check, call) : NULL;
    return wait && wait->waits != WAITS_EACH_STEP;
}

static bool may_lie_there(const struct value *value)
{
    return value->kind == VALUE_UNKNOWN || (value->kind == VALUE_TENSOR && value->device != DEVICE_CPU);
}

/* `indices.unique()`: wherever nobody knows that it lies on the host, the host asks the device how many there are. */
static bool is_sized_by_data(const struct check *check, uint32_t call)
{
    if (!known_word(WORDS_SIZED_BY_DATA, ask_tail(check, call)) || !project_uses_device(check->project, check->file))
        return false;
    const uint32_t receiver = ask_receiver(check, call);
    if (name_under(check->project, check_site(check, call), "torch.") && !value_is_tensor(ask_value(check, receiver)))
        return may_lie_there(ask_value(check, syntax_argument(check->tree, call, 0, NULL)));
    return receiver != SYNTAX_NONE && name_target(check->project, check_site(check, call)) == SYNTAX_NONE &&
           may_lie_there(ask_value(check, receiver));
}

/* `x[mask]`: how many rows there are is asked of the device; `x[mask] = 0` fills. */
static bool is_chosen_by_mask(const struct check *check, uint32_t subscript)
{
    const struct syntax *tree = check->tree;
    const struct value *mask = ask_value(check, syntax_child(tree, subscript, 1));
    const uint32_t parent = tree->parent[subscript];
    const bool is_set = (syntax_is(tree, parent, SYN_ASSIGN) || syntax_is(tree, parent, SYN_AUG_ASSIGN)) &&
                        syntax_last_child(tree, parent) != subscript;
    return !is_set && value_gpu_tensor(mask) && mask->dtype == DTYPE_BOOL && mask->rank != RANK_0 &&
           may_lie_there(ask_value(check, syntax_first(tree, subscript)));
}

bool drain_waits(const struct check *check, uint32_t node)
{
    if (is_asked(check, node))
        return true;
    if (syntax_is(check->tree, node, SYN_SUBSCRIPT))
        return is_chosen_by_mask(check, node);
    if (!syntax_is(check->tree, node, SYN_CALL))
        return false;
    return is_sized_by_data(check, node) || reads(check, node) || uploads(check, node) || synchronizes(check, node) ||
           waits_inside(check, node);
}

bool drain_is_certain(const struct syntax *tree, uint32_t node)
{
    for (uint32_t at = node; at && !syntax_is_statement(tree->kind[at]); at = tree->parent[at]) {
        const uint32_t parent = tree->parent[at];
        if ((tree->kind[parent] == SYN_BOOL && syntax_first(tree, parent) != at) ||
            (tree->kind[parent] == SYN_CONDITIONAL && syntax_child(tree, parent, 1) != at))
            return false;
    }
    return true;
}

/* ---- little work ---- */

/* Of one number: what the ranks exchange of it. */
static bool exchanges_number(const struct check *check, uint32_t call)
{
    const uint32_t what = syntax_argument(check->tree, call, 0, "tensor");
    return name_under(check->project, check_site(check, call), "torch.distributed.") && what != SYNTAX_NONE &&
           ask_value(check, what)->rank == RANK_0;
}

/* What nobody knows, and computes as a tensor does: `(a > 0).float()`, `loss.sum()`. */
static bool may_be_tensor(const struct check *check, uint32_t object, str method)
{
    static const char of_tensors[] = "sum mean any all abs isnan isinf isfinite sqrt exp float long double half detach "
                                     "clamp argmax argmin norm item";
    const enum value_kind what = object == SYNTAX_NONE ? VALUE_NONE : ask_value(check, object)->kind;
    if (what != VALUE_UNKNOWN && what != VALUE_TENSOR)
        return false;
    const enum syntax_kind kind = (enum syntax_kind)check->tree->kind[object];
    return kind == SYN_BINARY || kind == SYN_COMPARE || kind == SYN_UNARY || str_is_among(of_tensors, method);
}

/* One pass over what is there at most, of which most are a row or a number by then. */
static bool is_one_pass(const struct check *check, uint32_t call)
{
    static const char names[] =
        "sum mean max min any all abs neg eq ne lt le gt ge isnan isinf isfinite sqrt exp log "
        "clamp float int long bool double half to type count_nonzero numel argmax argmin norm "
        "round floor ceil detach clone add mul div sub stack zero_ fill_ item log_prob icdf cdf entropy";
    const uint32_t receiver = ask_receiver(check, call);
    return str_is_among(names, ask_tail(check, call)) &&
           (name_under(check->project, check_site(check, call), "torch.") ||
            (receiver != SYNTAX_NONE && ask_gpu_tensor(check, receiver)) ||
            may_be_tensor(check, receiver, ask_tail(check, call)));
}

/* A loss of torch.nn, of predictions and targets: a pass or two. Those of sequences go over all paths. */
static bool is_loss(const struct check *check, uint32_t call)
{
    const struct value *loss = ask_value(check, syntax_first(check->tree, call));
    return loss->kind == VALUE_LOSS && !(loss->name && str_ends(loss->name->text, S("CTCLoss")));
}

/* `Normal(mean, std)`: a check or two of a row each; `rearrange(x, ..)`: another view, or one copy. */
static bool is_made_in_passing(const struct check *check, uint32_t call)
{
    const struct site site = check_site(check, call);
    return name_is(check->project, site, "einops.rearrange") ||
           (name_under(check->project, site, "torch.distributions.") && ask_receiver(check, call) != SYNTAX_NONE);
}

bool drain_is_little(const struct check *check, uint32_t node)
{
    switch (check->tree->kind[node]) {
    case SYN_BINARY:
        return check->tree->op[node] != OP_MATMUL;
    case SYN_UNARY:
    case SYN_COMPARE:
    case SYN_AUG_ASSIGN:
    case SYN_SUBSCRIPT:
        return true;
    case SYN_CALL:
        return is_one_pass(check, node) || exchanges_number(check, node) || is_loss(check, node) ||
               is_made_in_passing(check, node);
    default:
        return false;
    }
}
