/* SPDX-License-Identifier: Apache-2.0 */
#include "kept_rows.h"

#include "parallel/crew.h"

bool kept_rows_open(struct kept_rows *kept, bool every, struct steptime_error *err)
{
    *kept = (struct kept_rows){.every = every};
    if (crew_ours()->count > 1)
        return true;
    kept->spool = spool_new(err);
    return kept->spool != NULL;
}

void kept_rows_close(struct kept_rows *kept)
{
    spool_free(kept->spool);
    kept->spool = NULL;
}

bool kept_rows_add(struct kept_rows *kept, uint64_t count, str bytes, struct steptime_error *err)
{
    if (!kept->spool)
        return true;
    kept->count += count;
    if (kept->every || kept->count <= ROWS_TOLD)
        return spool_add(kept->spool, bytes, err);
    kept_rows_close(kept);
    return true;
}
