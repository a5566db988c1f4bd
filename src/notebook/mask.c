/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IPython looks at the begin and at the end of logical lines, so strings, brackets and joined lines have to be followed:
 * in `(a\n % b)` there is no magic.
 */
#include "mask.h"

#include "base/mem.h"

struct scan {
    char *text; /* of which the cell is a part */
    size_t at, end;
    size_t line; /* where the logical line began */
    struct masks *masks;
};

static bool is_among(char c, const char *set)
{
    return c && strchr(set, c) != NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static char peek(const struct scan *scan, size_t ahead)
{
    return scan->at + ahead < scan->end ? scan->text[scan->at + ahead] : 0;
}

static void skip_blanks(struct scan *scan)
{
    while (is_blank(peek(scan, 0)))
        scan->at++;
}

static str word_at(const struct scan *scan, size_t at)
{
    size_t end = at;
    while (end < scan->end && ((scan->text[end] | 0x20) >= 'a' && (scan->text[end] | 0x20) <= 'z'))
        end++;
    return (str){scan->text + at, end - at};
}

static void add_mask(struct scan *scan, size_t begin, size_t end)
{
    struct masks *masks = scan->masks;
    while (masks->count && masks->at[masks->count - 1].end > begin) {
        const size_t before = masks->at[--masks->count].begin;
        begin = before < begin ? before : begin;
    }
    masks->at = mem_grow(masks->at, &masks->room, masks->count + 1, sizeof *masks->at);
    masks->at[masks->count++] = (struct span_of_text){(uint32_t)begin, (uint32_t)end};
}

static size_t line_end_from(const struct scan *scan, size_t at)
{
    while (at < scan->end && !is_line_end(scan->text[at]))
        at++;
    return at;
}

/* To the end of the line: `name` is what is left to parse, the rest becomes a comment. */
static void mask_rest(struct scan *scan, size_t from, char name)
{
    const size_t end = line_end_from(scan, from);
    add_mask(scan, from, end);
    scan->text[from] = name;
    if (from + 1 < end && name != '#')
        scan->text[from + 1] = '#';
    scan->at = end;
}

/* Lines that a '\' joins to one that was masked. */
static void mask_joined(struct scan *scan)
{
    while (scan->at > scan->line && scan->text[scan->at - 1] == '\\') {
        scan->at += peek(scan, 0) == '\r' && peek(scan, 1) == '\n' ? 2 : 1;
        if (scan->at >= scan->end || is_line_end(peek(scan, 0))) {
            scan->at = scan->at < scan->end ? scan->at : scan->end;
            return;
        }
        mask_rest(scan, scan->at, '#');
    }
}

static void mask_magic(struct scan *scan, size_t from, char name)
{
    mask_rest(scan, from, name);
    mask_joined(scan);
}

/* ---- %time and %timeit, behind which a statement stands ---- */

/* Behind the options of %timeit. */
static size_t behind_options(const struct scan *scan, size_t at, size_t end)
{
    for (;;) {
        while (at < end && is_blank(scan->text[at]))
            at++;
        if (at + 1 >= end || scan->text[at] != '-')
            return at;
        const bool counted = is_among(scan->text[at + 1], "nrp") && at + 2 < end && is_blank(scan->text[at + 2]);
        for (int words = counted ? 2 : 1; words; words--) {
            while (at < end && is_blank(scan->text[at]))
                at++;
            while (at < end && !is_blank(scan->text[at]))
                at++;
        }
    }
}

static bool is_compound(str word)
{
    return word.len && str_is_among("for while with def class if try async match", word);
}

/* As long as `%time ` is what may stand before any simple statement. */
static bool mask_timing(struct scan *scan)
{
    const str word = word_at(scan, scan->at + 1);
    if (!str_eq(word, S("time")) && !str_eq(word, S("timeit")))
        return false;
    const size_t from = scan->at, end = line_end_from(scan, from), behind = from + 1 + word.len;
    if (behind >= end || !is_blank(scan->text[behind]))
        return false;
    const size_t statement = behind_options(scan, behind, end);
    if (statement >= end || scan->text[statement] == '@' || is_compound(word_at(scan, statement)))
        return false;
    add_mask(scan, from, statement);
    memset(scan->text + from, ' ', statement - from);
    memcpy(scan->text + from, "if 1:", 5);
    scan->at = statement;
    return true;
}

/* ---- the rest of Python, as far as it hides magics ---- */

/* Behind a string, its quote at `at`. One that never ends takes its line, or the cell. */
static void pass_string(struct scan *scan)
{
    const char quote = peek(scan, 0);
    const bool three = peek(scan, 1) == quote && peek(scan, 2) == quote;
    scan->at += three ? 3 : 1;
    while (scan->at < scan->end) {
        const char c = peek(scan, 0);
        if (!three && is_line_end(c))
            return;
        const bool ends = c == quote && (!three || (peek(scan, 1) == quote && peek(scan, 2) == quote));
        scan->at += c == '\\' ? 2 : ends && three ? 3 : 1;
        if (ends)
            break;
    }
    if (scan->at > scan->end)
        scan->at = scan->end;
}

/* `name = !command`, `name = %magic`: the '=' is at `at`. */
static bool is_assigned_magic(const struct scan *scan)
{
    if (scan->at > scan->line && is_among(scan->text[scan->at - 1], "=!<>"))
        return false;
    size_t next = scan->at + 1;
    while (next < scan->end && is_blank(scan->text[next]))
        next++;
    return next < scan->end && is_among(scan->text[next], "!%") && !(next == scan->at + 1 && scan->text[next] == '=');
}

static void mask_assigned(struct scan *scan)
{
    scan->at++;
    skip_blanks(scan);
    mask_magic(scan, scan->at, '_');
}

/* One step over what is not the begin of a logical line; false behind its end. */
static bool pass_one(struct scan *scan, unsigned *depth)
{
    const char c = peek(scan, 0);
    if (c == '"' || c == '\'')
        pass_string(scan);
    else if (c == '#')
        scan->at = line_end_from(scan, scan->at);
    else if (c == '\\')
        scan->at += peek(scan, 1) == '\r' && peek(scan, 2) == '\n' ? 3 : 2;
    else if (!*depth && c == '=' && is_assigned_magic(scan))
        mask_assigned(scan);
    else if (!*depth && c == '?' && line_end_from(scan, scan->line) >= scan->at)
        mask_magic(scan, scan->line, '_');
    else {
        *depth += is_among(c, "([{") ? 1 : 0;
        *depth -= *depth && is_among(c, ")]}") ? 1 : 0;
        scan->at++;
        return *depth || !is_line_end(c);
    }
    return true;
}

static void pass_logical_line(struct scan *scan)
{
    unsigned depth = 0;
    skip_blanks(scan);
    scan->line = scan->at;
    const char c = peek(scan, 0);
    if (is_among(c, "!?/,;") || (c == '%' && !mask_timing(scan)))
        mask_magic(scan, scan->at, '_');
    while (scan->at < scan->end && pass_one(scan, &depth)) {
    }
    if (scan->at > scan->end)
        scan->at = scan->end;
}

/* ---- the whole cell ---- */

static str magic_word(str source)
{
    while (source.len && (char_is_blank(*source.at) || *source.at == '\f'))
        source = str_from(source, 1);
    if (!str_starts(source, S("%%")))
        return S("");
    size_t end = 2;
    while (end < source.len && !char_is_blank(source.at[end]))
        end++;
    return (str){source.at + 2, end - 2};
}

enum cell_kind mask_kind(str source)
{
    const str word = magic_word(source);
    if (!word.at || !word.len)
        return CELL_PLAIN;
    return str_is_among("capture debug prun time timeit", word) ? CELL_MAGIC : CELL_FOREIGN;
}

void mask_cell(char *text, size_t begin, size_t length, struct masks *masks)
{
    struct scan scan = {.text = text, .at = begin, .end = begin + length, .line = begin, .masks = masks};
    if (mask_kind((str){text + begin, length}) == CELL_MAGIC) {
        while (char_is_blank(peek(&scan, 0)))
            scan.at++;
        mask_magic(&scan, scan.at, '#');
    }
    while (scan.at < scan.end)
        pass_logical_line(&scan);
}
