/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch as wide as its longest row:
 *
 *     rows, mask = self.rows[batch], self.mask[batch]
 *     longest = mask.sum(1).max()
 *     rows, mask = rows[:, :longest], mask[:, :longest]
 */
#include "base/buf.h"
#include "fix.h"
#include "patch.h"
#include "rules/loops/padding.h"

bool fix_padding(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    struct padding padding;
    if (!padding_find(check, match->node, &padding))
        return false;
    const str longest = patch_fresh_local(&patch, padding.statement, S("longest"));
    const str mask = syntax_text(check->tree, padding.mask);
    struct buf names = {0}, parts = {0};
    for (uint32_t i = 0; i < padding.count; i++) {
        const str name = syntax_text(check->tree, padding.names[i]);
        buf_printf(&names, "%s%.*s", i ? ", " : "", (int)name.len, name.at);
        buf_printf(&parts, "%s%.*s[:, :%.*s]", i ? ", " : "", (int)name.len, name.at, (int)longest.len, longest.at);
    }
    const str cut = patch_printf(&patch, "%.*s = %.*s", (int)buf_str(&names).len, buf_str(&names).at,
                                 (int)buf_str(&parts).len, buf_str(&parts).at);
    const str measured =
        patch_printf(&patch, "%.*s = %.*s.sum(1).max()", (int)longest.len, longest.at, (int)mask.len, mask.at);
    const str fitted = patch_fitted(&patch, padding.statement, cut);
    patch_line_after(&patch, padding.statement,
                     patch_printf(&patch, "%.*s\n%.*s", (int)measured.len, measured.at, (int)fitted.len, fitted.at));
    buf_free(&names);
    buf_free(&parts);
    return patch_hand_over(&patch, edits);
}
