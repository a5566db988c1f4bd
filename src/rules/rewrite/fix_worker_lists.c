/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker returns as lists it returns as arrays, of the type that the training thread would have made of them:
 *
 *     return ids, lengths        return np.asarray(ids, dtype=np.int64), np.asarray(lengths, dtype=np.float32)
 */
#include "fix.h"
#include "patch.h"
#include "rules/loaders/worker_lists.h"

bool fix_worker_lists(const struct check *check, const struct match *match, struct edits *edits)
{
    struct patch patch = {.check = check, .edits = edits};
    struct worker_lists lists;
    if (project_sets_default_type(check->project) || !worker_lists_find(check, match->node, &lists))
        return false;
    const str numpy = patch_module(&patch, "numpy");
    for (uint32_t i = 0; i < lists.count; i++) {
        const str list = patch_text(&patch, lists.nodes[i]);
        const str made = patch_printf(&patch, "%.*s.asarray(%.*s, dtype=%.*s.%s)", (int)numpy.len, numpy.at,
                                      (int)list.len, list.at, (int)numpy.len, numpy.at, lists.types[i]);
        patch_node(&patch, lists.nodes[i], made);
    }
    return patch_hand_over(&patch, edits);
}
