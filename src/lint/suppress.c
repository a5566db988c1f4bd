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

/* ---- # noqa: ST401, E501 ---- */

static bool is_word(char c)
{
    return (char_lower(c) >= 'a' && char_lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word behind the '#' of some comment on the line, in any case; NULL. */
static const char *find_noqa(str comment)
{
    const str word = S("noqa");
    for (size_t hash = 0; hash < comment.len; hash++) {
        if (comment.at[hash] != '#')
            continue;
        size_t at = hash + 1;
        while (at < comment.len && char_is_blank(comment.at[at]))
            at++;
        const str rest = str_from(comment, at);
        const bool whole = rest.len == word.len || (rest.len > word.len && !is_word(rest.at[word.len]));
        if (str_starts_nocase(rest, word) && whole)
            return rest.at;
    }
    return NULL;
}

/* Letters and then digits, as all linters have them. */
static size_t code_length(str text)
{
    size_t letters = 0, len;
    while (letters < text.len && text.at[letters] >= 'A' && text.at[letters] <= 'Z')
        letters++;
    for (len = letters; len < text.len && text.at[len] >= '0' && text.at[len] <= '9';)
        len++;
    return letters && len > letters ? len : 0;
}

/* What follows the colon, up to the last code. "": no codes, so that all are meant. */
static str codes_of(str rest)
{
    rest = str_trim(rest);
    if (!str_starts(rest, S(":")))
        return S("");
    rest = str_trim(str_from(rest, 1));
    size_t end = 0, at = 0;
    for (size_t len; (len = code_length(str_from(rest, at)));) {
        end = at + len;
        at = end;
        while (at < rest.len && (rest.at[at] == ',' || char_is_blank(rest.at[at])))
            at++;
    }
    return (str){rest.at, end};
}

static bool parse_noqa(str comment, struct suppression *suppression)
{
    const char *at = find_noqa(comment);
    if (!at)
        return false;
    const str rest = str_from(comment, (size_t)(at - comment.at) + 4);
    suppression->noqa = true;
    suppression->patterns = codes_of(rest);
    suppression->reason = S("");
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
    if (!parse(comment, &found) && !parse_noqa(comment, &found))
        return;
    const bool alone = !found.noqa && str_trim(syntax_line(tree, line)).at == comment.at;
    found.line = alone ? line + 1 : line;
    list->at = mem_grow(list->at, &list->room, list->count + 1, sizeof *list->at);
    list->at[list->count++] = found;
}

struct suppressions suppressions_of(const struct syntax *tree, struct arena *arena)
{
    struct list list = {0};
    for (str rest = tree->text; rest.len;) {
        const char *hash = memchr(rest.at, '#', rest.len);
        if (!hash)
            break;
        rest = str_from(rest, (size_t)(hash - rest.at));
        const char *end = memchr(rest.at, '\n', rest.len);
        const str comment = {rest.at, end ? (size_t)(end - rest.at) : rest.len};
        if (str_has(comment, mark) || str_has_nocase(comment, S("noqa")))
            look_at_line(tree, syntax_place(tree, (uint32_t)(hash - tree->text.at)).line, &list);
        rest = str_from(rest, comment.len);
    }
    struct suppressions found = {arena_array(arena, list.count, sizeof *list.at), (uint32_t)list.count};
    if (list.count)
        memcpy(found.at, list.at, list.count * sizeof *list.at);
    mem_free(list.at);
    return found;
}

/* Codes of noqa may have blanks between them. */
static bool names_code(const struct suppression *suppression, const struct rule *rule)
{
    str rest = suppression->patterns;
    for (size_t len; (len = code_length(rest));) {
        if (rule_matches(rule, (str){rest.at, len}))
            return true;
        rest = str_from(rest, len);
        while (rest.len && (*rest.at == ',' || char_is_blank(*rest.at)))
            rest = str_from(rest, 1);
    }
    return false;
}

static bool names(const struct suppression *suppression, const struct rule *rule)
{
    str rest = suppression->patterns, part;
    if (!rest.len)
        return true;
    if (suppression->noqa)
        return names_code(suppression, rule);
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
    const uint32_t last = syntax_place(tree, match->end ? match->end - 1 : 0).line;
    const struct suppression *found = use_at(suppressions, own, match->rule);
    if (!found && first != own)
        found = use_at(suppressions, first, match->rule);
    return found || last == own ? found : use_at(suppressions, last, match->rule);
}

bool suppression_unknown(const struct suppression *suppression, str *name)
{
    str rest = suppression->patterns;
    if (suppression->noqa)
        return false;
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
