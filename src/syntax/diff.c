/* SPDX-License-Identifier: Apache-2.0 */
#include "diff.h"

enum { CONTEXT = 3 };

/* Whole lines of the text, [begin, end), and those in their place; each line with its end, of the last maybe without. */
struct change {
    size_t begin, end;
    uint32_t first, last; /* edits, last excluded */
    struct buf after;
};

struct differ {
    struct buf *out;
    str path, before;
    const struct edit *edits;
    uint32_t count, next; /* edits; the next one to look at */
    size_t at;            /* bytes of `before` that were passed */
    int64_t line;         /* of `at`, from 1 */
    int64_t shift;        /* lines that the changes so far added */
    bool named;           /* the two lines with the name stand */
};

/* --- lines ---------------------------------------------------------------------------------------------------------------- */

static size_t begin_of_line(str text, size_t at)
{
    const char *lf = at ? memrchr(text.at, '\n', at) : NULL;
    return lf ? (size_t)(lf - text.at) + 1 : 0;
}

/* Behind the line that holds `at`, with its end. */
static size_t behind_line(str text, size_t at)
{
    const char *lf = at < text.len ? memchr(text.at + at, '\n', text.len - at) : NULL;
    return lf ? (size_t)(lf - text.at) + 1 : text.len;
}

static int64_t lines_in(str text)
{
    int64_t lines = 0;
    for (size_t at = 0; at < text.len; at = behind_line(text, at))
        lines++;
    return lines;
}

static str part(str text, size_t begin, size_t end)
{
    return (str){end > begin ? text.at + begin : "", end - begin};
}

/* --- one change ------------------------------------------------------------------------------------------------------------ */

/* Whether it takes and gives whole lines, and so leaves the line behind it alone. */
static bool is_whole_lines(str before, const struct edit *edit)
{
    return begin_of_line(before, edit->begin) == edit->begin && begin_of_line(before, edit->end) == edit->end &&
           (!edit->text.len || edit->text.at[edit->text.len - 1] == '\n');
}

/* The lines that an edit touches. */
static void extend(struct change *change, str before, const struct edit *edit)
{
    const bool first = change->last++ == change->first;
    if (first)
        change->begin = begin_of_line(before, edit->begin);
    if (first || edit->end >= change->end)
        change->end = is_whole_lines(before, edit) ? edit->end : behind_line(before, edit->end);
}

static void write_after(struct change *change, str before, const struct edit *edits)
{
    size_t from = change->begin;
    for (uint32_t i = change->first; i < change->last; i++) {
        buf_add(&change->after, part(before, from, edits[i].begin));
        buf_add(&change->after, edits[i].text);
        from = edits[i].end;
    }
    buf_add(&change->after, part(before, from, change->end));
}

/* Takes the lines that are the same on both sides off either end; true where something is left. */
static bool trim(struct change *change, str before, str *after)
{
    str old = part(before, change->begin, change->end);
    *after = buf_str(&change->after);
    while (old.len && after->len) {
        const str a = part(old, 0, behind_line(old, 0)), b = part(*after, 0, behind_line(*after, 0));
        if (!str_eq(a, b))
            break;
        old = str_from(old, a.len);
        *after = str_from(*after, b.len);
        change->begin += a.len;
    }
    while (old.len && after->len) {
        const size_t a = begin_of_line(old, old.len - 1), b = begin_of_line(*after, after->len - 1);
        if (!str_eq(str_from(old, a), str_from(*after, b)))
            break;
        change->end -= old.len - a;
        old.len = a;
        after->len = b;
    }
    return old.len || after->len;
}

/* The next run of edits that touch common lines, or lines that follow one another. */
static bool next_change(struct differ *differ, struct change *change)
{
    *change = (struct change){.first = differ->next, .last = differ->next};
    while (differ->next < differ->count) {
        const struct edit *edit = &differ->edits[differ->next];
        if (change->last > change->first && edit->begin > change->end &&
            begin_of_line(differ->before, edit->begin) > change->end)
            break;
        extend(change, differ->before, edit);
        differ->next++;
    }
    if (change->last == change->first)
        return false;
    write_after(change, differ->before, differ->edits);
    return true;
}

/* --- hunks ------------------------------------------------------------------------------------------------------------------ */

struct hunk {
    struct buf body;
    int64_t from, old, new; /* the line of its first, and how many on each side */
    size_t end;             /* of `before`: behind the last line in it */
    bool open;
};

static void put_line(struct buf *body, char sign, str line)
{
    buf_char(body, sign);
    buf_add(body, line);
    if (!line.len || line.at[line.len - 1] != '\n')
        buf_add(body, S("\n\\ No newline at end of file\n"));
}

static int64_t put_lines(struct buf *body, char sign, str text)
{
    int64_t lines = 0;
    for (size_t at = 0; at < text.len; lines++) {
        const size_t end = behind_line(text, at);
        put_line(body, sign, part(text, at, end));
        at = end;
    }
    return lines;
}

/* The begin of the line that stands `lines` before this one, or of the text. */
static size_t lines_back(str text, size_t at, int lines, size_t floor)
{
    for (; lines && at > floor; lines--)
        at = begin_of_line(text, at - 1);
    return at;
}

static size_t lines_on(str text, size_t at, int lines)
{
    for (; lines && at < text.len; lines--)
        at = behind_line(text, at);
    return at;
}

static void put_common(struct differ *differ, struct hunk *hunk, size_t end)
{
    const int64_t lines = put_lines(&hunk->body, ' ', part(differ->before, hunk->end, end));
    hunk->old += lines;
    hunk->new += lines;
    hunk->end = end;
}

static void pass_to(struct differ *differ, size_t at)
{
    differ->line += lines_in(part(differ->before, differ->at, at));
    differ->at = at;
}

static void open_hunk(struct differ *differ, struct hunk *hunk, size_t change)
{
    const size_t begin = lines_back(differ->before, change, CONTEXT, differ->at);
    pass_to(differ, begin);
    hunk->from = differ->line;
    hunk->old = hunk->new = 0;
    hunk->end = begin;
    hunk->open = true;
}

static bool must_quote(str path)
{
    for (size_t i = 0; i < path.len; i++)
        if ((unsigned char)path.at[i] < ' ' || (unsigned char)path.at[i] >= 127 || path.at[i] == '"' ||
            path.at[i] == '\\')
            return true;
    return false;
}

static void put_quoted(struct buf *out, char side, str path)
{
    buf_printf(out, "\"%c/", side);
    for (size_t i = 0; i < path.len; i++) {
        const unsigned char c = (unsigned char)path.at[i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < ' ' || c >= 127)
            buf_printf(out, "\\%03o", c);
        else
            buf_char(out, (char)c);
    }
    buf_char(out, '"');
}

/* A name with blanks ends in a tab, or readers would take what follows the blank for a date. */
static void put_name(struct buf *out, const char *sign, char side, str path)
{
    buf_printf(out, "%s ", sign);
    if (must_quote(path))
        put_quoted(out, side, path);
    else
        buf_printf(out, "%c/%.*s%s", side, (int)path.len, path.at, memchr(path.at, ' ', path.len) ? "\t" : "");
    buf_char(out, '\n');
}

static void put_names(struct differ *differ)
{
    str path = differ->path;
    while (str_starts(path, S("./")) || str_starts(path, S("/")))
        path = str_from(path, path.at[0] == '/' ? 1 : 2);
    put_name(differ->out, "---", 'a', path);
    put_name(differ->out, "+++", 'b', path);
    differ->named = true;
}

/* "12" for one line, "12,3" for more; no lines stand behind line 11. */
static void put_range(struct buf *out, char sign, int64_t from, int64_t lines)
{
    if (lines == 1)
        buf_printf(out, "%c%lld ", sign, (long long)from);
    else
        buf_printf(out, "%c%lld,%lld ", sign, (long long)(lines ? from : from - 1), (long long)lines);
}

static void close_hunk(struct differ *differ, struct hunk *hunk)
{
    if (!hunk->open)
        return;
    put_common(differ, hunk, lines_on(differ->before, hunk->end, CONTEXT));
    if (!differ->named)
        put_names(differ);
    buf_add(differ->out, S("@@ "));
    put_range(differ->out, '-', hunk->from, hunk->old);
    put_range(differ->out, '+', hunk->from + differ->shift, hunk->new);
    buf_add(differ->out, S("@@\n"));
    buf_add(differ->out, buf_str(&hunk->body));
    buf_clear(&hunk->body);
    differ->shift += hunk->new - hunk->old;
    pass_to(differ, hunk->end);
    hunk->open = false;
}

/* Changes with no more common lines between than both would show share a hunk. */
static void put_change(struct differ *differ, struct hunk *hunk, const struct change *change, str after)
{
    if (hunk->open && lines_on(differ->before, hunk->end, 2 * CONTEXT) < change->begin)
        close_hunk(differ, hunk);
    if (!hunk->open)
        open_hunk(differ, hunk, change->begin);
    put_common(differ, hunk, change->begin);
    hunk->old += put_lines(&hunk->body, '-', part(differ->before, change->begin, change->end));
    hunk->new += put_lines(&hunk->body, '+', after);
    hunk->end = change->end;
}

void diff_add(struct buf *diff, str path, str before, const struct edit *edits, uint32_t count)
{
    struct differ differ = {.out = diff, .path = path, .before = before, .edits = edits, .count = count, .line = 1};
    struct hunk hunk = {0};
    struct change change;
    while (next_change(&differ, &change)) {
        str after;
        if (trim(&change, before, &after))
            put_change(&differ, &hunk, &change, after);
        buf_free(&change.after);
    }
    close_hunk(&differ, &hunk);
    buf_free(&hunk.body);
}
