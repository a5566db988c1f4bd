/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `for rows in batches: batch = prepare(rows)` becomes a DataLoader over the rows
 * whose workers prepare, in the same order, while the device trains.
 *
 * With batch_size=None each element of the list goes through collate_fn alone. The
 * loader draws a seed for its workers when an iteration begins; the generator of
 * its own keeps that draw out of the run's random stream, so dropout and sampling
 * go on as before.
 */
#include "fix.h"
#include "patch.h"
#include "rules/loops/preparation.h"

enum { WORKERS = 2 }; /* enough to stay ahead of most steps, few enough for small machines */

bool fix_preparation(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    struct hand_off hand_off;
    if (syntax_is(check->tree, match->node, SYN_LIST_COMP) || syntax_is(check->tree, match->node, SYN_SUBSCRIPT))
        return fix_look_up(check, match, edits);
    if (!syntax_is(check->tree, match->node, SYN_CALL) || !preparation_hand_off(check, match->node, &hand_off) ||
        !hand_off.safe)
        return false;
    const str torch = patch_module(&patch, "torch"), batches = patch_text(&patch, hand_off.batches);
    const str prepare = patch_text(&patch, syntax_first(check->tree, hand_off.call));
    const uint32_t batch = syntax_first(check->tree, hand_off.statement);
    const str base = syntax_is(check->tree, batch, SYN_NAME) ? syntax_text(check->tree, batch) : S("batch");
    const str loader = patch_fresh_name(&patch, patch_printf(&patch, "%.*s_loader", (int)base.len, base.at));
    const str line = patch_printf(&patch,
                                  "%.*s = %.*s.utils.data.DataLoader(%.*s, batch_size=None, collate_fn=%.*s, "
                                  "num_workers=%d, generator=%.*s.Generator())",
                                  (int)loader.len, loader.at, (int)torch.len, torch.at, (int)batches.len, batches.at,
                                  (int)prepare.len, prepare.at, WORKERS, (int)torch.len, torch.at);
    patch_line_before(&patch, hand_off.loop, patch_fitted(&patch, hand_off.loop, line));
    patch_node(&patch, hand_off.batches, loader);
    str target = patch_text(&patch, batch);
    const bool nested = check->tree->parent[hand_off.row_name] != hand_off.loop;
    if (nested && syntax_is(check->tree, batch, SYN_TUPLE) && target.at[0] != '(')
        target = patch_printf(&patch, "(%.*s)", (int)target.len, target.at);
    patch_node(&patch, hand_off.row_name, target);
    patch_delete(&patch, hand_off.statement);
    return patch_hand_over(&patch, edits);
}
