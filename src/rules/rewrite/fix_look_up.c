/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places among distinct values by binary search:
 *
 *     [np.where(node == item)[0][0] for item in items]     list(node.searchsorted(items))
 *     np.where(node == items[i])[0][0]                     node.searchsorted(items[i])
 *
 * The method, for np.searchsorted of one value takes longer than the comparison. Both give NumPy's integers, as np.where does.
 */
#include "fix.h"
#include "patch.h"
#include "rules/loops/look_up.h"

static str searched(struct patch *patch, const struct look_up *look_up, uint32_t what)
{
    const str distinct = syntax_text(patch->check->tree, look_up->distinct), value = patch_text(patch, what);
    return patch_printf(patch, "%.*s.searchsorted(%.*s)", (int)distinct.len, distinct.at, (int)value.len, value.at);
}

static void search_all(struct patch *patch, uint32_t comprehension)
{
    struct look_up look_up;
    if (!look_up_of_all(patch->check, comprehension, &look_up)) {
        patch_refuse(patch);
        return;
    }
    const str search = searched(patch, &look_up, look_up.items);
    patch_node(patch, comprehension, patch_printf(patch, "list(%.*s)", (int)search.len, search.at));
}

static void search_each(struct patch *patch, uint32_t subscript)
{
    struct look_up first, look_up;
    uint32_t beside[LOOK_UPS];
    const uint32_t count =
        look_up_of_one(patch->check, subscript, &first) ? look_ups_beside(patch->check, &first, beside) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (look_up_of_one(patch->check, beside[i], &look_up))
            patch_node(patch, beside[i], searched(patch, &look_up, look_up.item));
    if (count == 0)
        patch_refuse(patch);
}

bool fix_look_up(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    if (syntax_is(check->tree, match->node, SYN_LIST_COMP))
        search_all(&patch, match->node);
    else
        search_each(&patch, match->node);
    return patch_hand_over(&patch, edits);
}
