/* SPDX-License-Identifier: Apache-2.0 */
#include "range.h"

bool range_read(str text, int64_t *first, int64_t *last)
{
    const char *dots = text.len >= 2 ? memmem(text.at, text.len, "..", 2) : NULL;
    if (!dots) {
        const bool good = str_int(text, first) && *first >= 0;
        *last = good ? *first : 0;
        return good;
    }
    const str low = {text.at, (size_t)(dots - text.at)}, high = str_from(text, low.len + 2);
    *first = 0;
    *last = INT64_MAX;
    if (low.len && !str_int(low, first))
        return false;
    if (high.len && !str_int(high, last))
        return false;
    return (low.len || high.len) && *first >= 0 && *first <= *last;
}
