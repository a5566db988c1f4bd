/* SPDX-License-Identifier: Apache-2.0 */
#include "suppress.h"

#include "base/mem.h"
#include "base/search.h"

static const str mark = {"steptime:", 9};

/* "# steptime: ignore[ST401, ST4] reason", whatever other tools say before it. False: the comment says nothing to us. */
static bool parse(str comment, struct suppression *suppression)
{
    const char *at = comment.len ? memmem(comment.at, comment.len, mark.at, mark.len) : NULL;
    if (!at)
        return false;
    str rest = str_trim(str_from(comment, (size_t)(at - comment.at) + mark.len));
    if (!str_starts(rest, S("ignore")))
        return false;
    rest = str_from(rest, 6);
    if (str_starts(rest, S("["))) {
        const char *close = memchr(rest.at, ']', rest.len);
        if (!close)
            return false;
        suppression->patterns = (str){rest.at + 1, (size_t)(close - rest.at) - 1};
        rest = str_from(rest, (size_t)(close - rest.at) + 1);
    }
    suppression->reason = str_trim(rest);
    return true;
}

struct list {
    struct suppression *at;
    size_t count, room;
};

static void look_at_line(const struct syntax *tree, uint32_t line, struct list *list)
{
    const str comment = syntax_comment(tree, line);
    struct suppression found = {.own_line = line};
    if (!parse(comment, &found))
        return;
    const bool alone = str_trim(syntax_line(tree, line)).at == comment.at;
    found.line = alone ? line + 1 : line;
    list->at = mem_grow(list->at, &list->room, list->count + 1, sizeof *list->at);
    list->at[list->count++] = found;
}

struct suppressions suppressions_of(const struct syntax *tree, struct arena *arena)
{
    struct list list = {0};
    uint32_t after = 0; /* lines up to here are looked at */
    for (str rest = tree->text; rest.len;) {
        const char *at = memmem(rest.at, rest.len, mark.at, mark.len);
        if (!at)
            break;
        const uint32_t line = syntax_place(tree, (uint32_t)(at - tree->text.at)).line;
        if (line > after)
            look_at_line(tree, line, &list);
        after = line;
        rest = str_from(rest, (size_t)(at - rest.at) + mark.len);
    }
    struct suppressions found = {arena_array(arena, list.count, sizeof *list.at), (uint32_t)list.count};
    if (list.count)
        memcpy(found.at, list.at, list.count * sizeof *list.at);
    mem_free(list.at);
    return found;
}

static bool names(const struct suppression *suppression, const struct rule *rule)
{
    str rest = suppression->patterns, part;
    if (!rest.len)
        return true;
    while (str_cut(&rest, ',', &part))
        if (rule_matches(rule, str_trim(part)))
            return true;
    return false;
}

static const struct suppression *use_at(struct suppressions *suppressions, uint32_t line, const struct rule *rule)
{
    const size_t first = search_from(suppressions->at, suppressions->count, sizeof *suppressions->at,
                                     offsetof(struct suppression, line), line);
    for (size_t i = first; i < suppressions->count; i++) {
        struct suppression *at = &suppressions->at[i];
        if (at->line != line)
            break;
        if (names(at, rule)) {
            at->used = true;
            return at;
        }
    }
    return NULL;
}

const struct suppression *suppressions_use(struct suppressions *suppressions, const struct syntax *tree,
                                           const struct match *match)
{
    if (!suppressions->count)
        return NULL;
    const uint32_t statement = syntax_statement(tree, match->node);
    const uint32_t own = syntax_place(tree, match->begin).line;
    const uint32_t first = statement ? syntax_place(tree, tree->begin[statement]).line : own;
    const struct suppression *found = use_at(suppressions, own, match->rule);
    return found || first == own ? found : use_at(suppressions, first, match->rule);
}

bool suppression_unknown(const struct suppression *suppression, str *name)
{
    str rest = suppression->patterns;
    while (str_cut(&rest, ',', name)) {
        *name = str_trim(*name);
        bool known = false;
        for (const struct rule *const *at = rules; *at; at++)
            known = known || rule_matches(*at, *name);
        if (!known)
            return true;
    }
    return false;
}
