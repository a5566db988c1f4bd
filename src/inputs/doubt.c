/* SPDX-License-Identifier: Apache-2.0 */
#include "doubt.h"

#include "base/buf.h"

void doubts_add(struct doubts *doubts, struct doubt doubt)
{
    if (!(doubts->count & (doubts->count + 1))) { /* full at 0, 1, 3, 7 ... : the list doubles */
        struct doubt *at = arena_array(doubts->arena, (size_t)doubts->count * 2 + 1, sizeof *at);
        if (doubts->count)
            memcpy(at, doubts->at, doubts->count * sizeof *at);
        doubts->at = at;
    }
    doubts->at[doubts->count++] = doubt;
}

str doubts_no_job(const struct doubts *doubts)
{
    struct buf text = {0};
    for (uint32_t i = 0; i < doubts->count; i++) {
        if (!doubts->at[i].no_job)
            continue;
        buf_add(&text, text.len ? S("; ") : S(""));
        buf_add(&text, doubts->at[i].what);
    }
    const str said = str_copy(doubts->arena, buf_str(&text));
    buf_free(&text);
    return said;
}
