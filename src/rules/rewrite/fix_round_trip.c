/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ST301, where the host does to the tensor what torch does as well:
 *
 *     best = scores.cpu().numpy().argmax(axis=1)       best = scores.argmax(dim=1)
 *     best = torch.LongTensor(best).to(device)         best = best
 *
 * Both give int64 and no gradient. Of equal maxima each may take another, so the
 * rewrite is unsafe.
 */
#include "fix.h"
#include "patch.h"

#include "source/known/known_words.h"

/* The call `.method(...)` whose receiver the node is; SYNTAX_NONE. */
static uint32_t called_on(const struct syntax *tree, uint32_t node, const char *method)
{
    const uint32_t attribute = tree->parent[node], call = tree->parent[attribute];
    return syntax_is(tree, attribute, SYN_ATTRIBUTE) && syntax_is(tree, call, SYN_CALL) &&
                   syntax_first(tree, call) == attribute && str_eq(syntax_tail(tree, attribute), str_of(method))
               ? call
               : SYNTAX_NONE;
}

static const char *reduction_of(const struct syntax *tree, uint32_t array, uint32_t *call)
{
    static const char *const methods[] = {"argmax", "argmin"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        *call = called_on(tree, array, methods[i]);
        if (*call != SYNTAX_NONE)
            return methods[i];
    }
    return NULL;
}

/* The call that makes an integer tensor of the array and nothing else, with the move around it; SYNTAX_NONE. */
static uint32_t way_back(const struct check *check, uint32_t use)
{
    const struct syntax *tree = check->tree;
    const uint32_t call = tree->parent[tree->parent[use]];
    if (!syntax_is(tree, call, SYN_CALL) || syntax_argument(tree, call, 0, NULL) != use ||
        syntax_child_count(tree, syntax_child(tree, call, 1)) != 1)
        return SYNTAX_NONE;
    const bool fits = known_word(WORDS_WRAP_INDEX, name_of(check->project, check_site(check, call)));
    uint32_t move = called_on(tree, call, "to");
    if (move == SYNTAX_NONE)
        move = called_on(tree, call, "cuda");
    return fits && move != SYNTAX_NONE && value_gpu_tensor(ask_value(check, move)) &&
                   ask_value(check, move)->dtype == DTYPE_INT64
               ? move
               : SYNTAX_NONE;
}

bool fix_device_round_trip(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    const struct syntax *tree = check->tree;
    const uint32_t array = called_on(tree, match->node, "numpy"), tensor = ask_receiver(check, match->node);
    uint32_t call, use;
    const char *method = array == SYNTAX_NONE ? NULL : reduction_of(tree, array, &call);
    if (!method || tensor == SYNTAX_NONE)
        return false;
    const uint32_t axis = syntax_argument(tree, call, 0, "axis"), statement = tree->parent[call];
    if (axis == SYNTAX_NONE || syntax_child_count(tree, syntax_child(tree, call, 1)) != 1 ||
        !syntax_is(tree, statement, SYN_ASSIGN) || syntax_child_count(tree, statement) != 2 ||
        !syntax_is(tree, syntax_first(tree, statement), SYN_NAME))
        return false;
    const struct definition *bound = flow_bound(check->project, check_site(check, syntax_first(tree, statement)));
    if (!bound || flow_escapes(check->project, check->file, bound) ||
        flow_uses(check->project, check->file, bound, &use, 1) != 1)
        return false;
    const uint32_t back = way_back(check, use);
    if (back == SYNTAX_NONE)
        return false;
    const str from = patch_primary(&patch, tensor), dim = patch_text(&patch, axis);
    patch_node(&patch, call,
               patch_printf(&patch, "%.*s.%s(dim=%.*s)", (int)from.len, from.at, method, (int)dim.len, dim.at));
    patch_node(&patch, back, syntax_text(tree, use));
    return patch_hand_over(&patch, edits);
}
