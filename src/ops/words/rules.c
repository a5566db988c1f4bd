/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <string.h>

/* Where the part first occurs at or after `from`; SIZE_MAX if it does not. */
static size_t part_at(str text, str part, size_t from)
{
    if (part.len == 0 || from > text.len)
        return part.len == 0 ? from : SIZE_MAX;
    const char *found = memmem(text.at + from, text.len - from, part.at, part.len);
    return found ? (size_t)(found - text.at) : SIZE_MAX;
}

/* The parts between stars, each behind the one before, leftmost first. */
static bool parts_fit(str text, str parts, bool at_start, bool at_end)
{
    size_t at = 0;
    str part;
    if (at_start && parts.len && parts.at[0] != '*' && (!text.len || text.at[0] != parts.at[0]))
        return false; /* most do not fit, and most of these show it here */
    while (str_cut(&parts, '*', &part)) {
        const bool tied_end = !parts.at && at_end;
        const size_t from = tied_end && text.len >= at + part.len ? text.len - part.len : at;
        const size_t found = part_at(text, part, from);
        if (found == SIZE_MAX || (at_start && found != 0) || (tied_end && found + part.len != text.len))
            return false;
        at = found + part.len;
        at_start = false;
    }
    return true;
}

bool name_fits(str lowered, str pattern)
{
    const bool at_start = str_starts(pattern, S("^"));
    const bool at_end = str_ends(pattern, S("$"));
    const str parts = {pattern.at + at_start, pattern.len - at_start - at_end};
    return parts_fit(lowered, parts, at_start, at_end);
}

str name_lowered(str name, char *room, size_t bytes)
{
    const size_t len = name.len < bytes ? name.len : bytes;
    for (size_t i = 0; i < len; i++) {
        const char c = name.at[i];
        room[i] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    }
    return (str){room, len};
}

/* Names are kernel signatures of up to some thousand characters; what lies beyond decides nothing. */
enum { NAME_JUDGED_BYTES = 2048 };

int name_judged(str name, const struct name_rule *rules, size_t count, int otherwise)
{
    char room[NAME_JUDGED_BYTES];
    const str lowered = name_lowered(name, room, sizeof room);
    for (size_t i = 0; i < count; i++)
        if (name_fits(lowered, str_of(rules[i].pattern)))
            return rules[i].value;
    return otherwise;
}
