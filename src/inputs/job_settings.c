/* SPDX-License-Identifier: Apache-2.0 */
/* Settings in which the ranks of a job differ: what they say is then not of one kind. */
#include <math.h>

#include "base/buf.h"
#include "job.h"

/* How many have a value, and the first of them. */
struct share {
    str value;
    uint32_t count, first;
};

enum { VALUES_MOST = 4 };

/* The values that members have of a setting, as they come; of those beyond the first four how many members have one. */
static uint32_t shares_of(const struct job_member *members, uint32_t count, enum setting setting,
                          struct share shares[VALUES_MOST], uint32_t *beyond)
{
    uint32_t found = 0;
    *beyond = 0;
    for (uint32_t i = 0; i < count; i++) {
        const str value = members[i].settings->of[setting];
        uint32_t at = 0;
        if (!value.len)
            continue;
        while (at < found && !str_eq(shares[at].value, value))
            at++;
        if (at == found && found < VALUES_MOST)
            shares[found++] = (struct share){value, 0, i};
        if (at < VALUES_MOST)
            shares[at].count++;
        else
            ++*beyond;
    }
    return found;
}

/* "with_stack (off; on of 2, first of rank 3)": what most have first. */
static void say(const struct job_member *members, enum setting setting, const struct share *shares, uint32_t found,
                uint32_t beyond, struct buf *words)
{
    uint32_t usual = 0;
    for (uint32_t i = 1; i < found; i++)
        usual = shares[i].count > shares[usual].count ? i : usual;
    buf_printf(words, "%s%s (%.*s", words->len ? ", " : "", setting_id(setting), (int)shares[usual].value.len,
               shares[usual].value.at);
    for (uint32_t i = 0; i < found; i++)
        if (i != usual)
            buf_printf(words, "; %.*s of %u, first of rank %lld", (int)shares[i].value.len, shares[i].value.at,
                       shares[i].count, (long long)members[shares[i].first].rank);
    if (beyond)
        buf_printf(words, "; others of %u", beyond);
    buf_printf(words, ")");
}

void job_settings(const struct job_member *members, uint32_t count, struct doubts *doubts)
{
    struct buf words = {0};
    int64_t differ = 0;
    for (int setting = 0; setting < SETTINGS; setting++) {
        struct share shares[VALUES_MOST];
        uint32_t beyond;
        const uint32_t found = shares_of(members, count, (enum setting)setting, shares, &beyond);
        if (found < 2)
            continue;
        say(members, (enum setting)setting, shares, found, beyond, &words);
        differ++;
    }
    if (differ)
        doubts_add(doubts, (struct doubt){
                               "settings_differ",
                               str_printf(doubts->arena, "the ranks' settings differ: %.*s", (int)words.len, words.at),
                               differ, NAN, false});
    buf_free(&words);
}
