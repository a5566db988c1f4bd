/* SPDX-License-Identifier: Apache-2.0 */
/* A cursor over the text. Brackets in values that are stepped over are counted, so depth costs nothing. */
#include "toml.h"

#include "base/buf.h"
#include "base/error.h"

struct toml_reader toml_reader(str path, str text)
{
    const str mark = S("\xEF\xBB\xBF");
    return (struct toml_reader){
        .path = path, .rest = str_starts(text, mark) ? str_from(text, mark.len) : text, .line = 1};
}

static bool broken(struct toml_reader *reader, struct steptime_error *err, const char *what)
{
    reader->broken = true;
    return fail_at(err, STEPTIME_INPUT, reader->path, -1, "line %u: %s", reader->line, what);
}

/* ---- the cursor ---- */

static char peek(const struct toml_reader *reader)
{
    return reader->rest.len ? reader->rest.at[0] : 0;
}

static void step(struct toml_reader *reader, size_t bytes)
{
    for (size_t i = 0; i < bytes && i < reader->rest.len; i++)
        reader->line += reader->rest.at[i] == '\n';
    reader->rest = str_from(reader->rest, bytes);
}

static bool take(struct toml_reader *reader, str word)
{
    if (!str_starts(reader->rest, word))
        return false;
    step(reader, word.len);
    return true;
}

static void skip_blanks(struct toml_reader *reader)
{
    while (peek(reader) == ' ' || peek(reader) == '\t')
        step(reader, 1);
}

static void skip_comment(struct toml_reader *reader)
{
    if (peek(reader) == '#')
        while (reader->rest.len && peek(reader) != '\n')
            step(reader, 1);
}

/* Blanks, comments and line ends. */
static void skip_space(struct toml_reader *reader)
{
    for (size_t before = 0; before != reader->rest.len;) {
        before = reader->rest.len;
        skip_blanks(reader);
        skip_comment(reader);
        while (peek(reader) == '\n' || peek(reader) == '\r')
            step(reader, 1);
    }
}

/* ---- strings ---- */

static void add_utf8(struct buf *buf, uint32_t c)
{
    if (c < 0x80) {
        buf_char(buf, (char)c);
    } else if (c < 0x800) {
        buf_char(buf, (char)(0xC0 | c >> 6));
        buf_char(buf, (char)(0x80 | (c & 0x3F)));
    } else {
        if (c < 0x10000) {
            buf_char(buf, (char)(0xE0 | c >> 12));
        } else {
            buf_char(buf, (char)(0xF0 | c >> 18));
            buf_char(buf, (char)(0x80 | (c >> 12 & 0x3F)));
        }
        buf_char(buf, (char)(0x80 | (c >> 6 & 0x3F)));
        buf_char(buf, (char)(0x80 | (c & 0x3F)));
    }
}

/* Of \u and \U, behind the letter. False: not so many digits, or no character. */
static bool take_character(struct toml_reader *reader, unsigned digits, struct buf *buf)
{
    uint32_t c = 0;
    for (unsigned i = 0; i < digits; i++) {
        const char digit = peek(reader);
        if (!char_is_hex(digit))
            return false;
        c = c << 4 | (uint32_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
        step(reader, 1);
    }
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return false;
    add_utf8(buf, c);
    return true;
}

static bool take_escape(struct toml_reader *reader, struct buf *buf)
{
    static const char letters[] = "btnfr\"\\", meanings[] = "\b\t\n\f\r\"\\";
    const char c = peek(reader);
    if (c == 'u' || c == 'U') {
        step(reader, 1);
        return take_character(reader, c == 'u' ? 4 : 8, buf);
    }
    const char *letter = c ? strchr(letters, c) : NULL;
    if (!letter)
        return false;
    buf_char(buf, meanings[letter - letters]);
    step(reader, 1);
    return true;
}

/* A backslash at the end of a line takes the blanks and line ends behind it away. */
static bool take_line_joint(struct toml_reader *reader)
{
    struct toml_reader ahead = *reader;
    skip_blanks(&ahead);
    if (peek(&ahead) != '\n' && peek(&ahead) != '\r')
        return false;
    while (peek(&ahead) == ' ' || peek(&ahead) == '\t' || peek(&ahead) == '\n' || peek(&ahead) == '\r')
        step(&ahead, 1);
    *reader = ahead;
    return true;
}

/* The text up to the closing quote, which is taken too. */
static bool take_quoted(struct toml_reader *reader, str quote, struct buf *buf, struct steptime_error *err)
{
    const bool literal = quote.at[0] == '\'', lines = quote.len == 3;
    for (;;) {
        if (!reader->rest.len || (!lines && peek(reader) == '\n'))
            return broken(reader, err, "a text is not closed");
        if (take(reader, quote))
            return true;
        if (!literal && peek(reader) == '\\') {
            step(reader, 1);
            if (!(lines && take_line_joint(reader)) && !take_escape(reader, buf))
                return broken(reader, err, "an escape that TOML does not know");
            continue;
        }
        buf_char(buf, peek(reader));
        step(reader, 1);
    }
}

static bool take_text(struct toml_reader *reader, struct arena *arena, str *text, struct steptime_error *err)
{
    static const char *const quotes[] = {"\"\"\"", "'''", "\"", "'"};
    struct buf buf = {0};
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        const str quote = str_of(quotes[i]);
        if (!take(reader, quote))
            continue;
        if (quote.len == 3 && !take(reader, S("\r\n")))
            take(reader, S("\n"));
        const bool whole = take_quoted(reader, quote, &buf, err);
        *text = str_copy(arena, buf_str(&buf));
        buf_free(&buf);
        return whole;
    }
    return broken(reader, err, "a text is expected here");
}

/* ---- keys ---- */

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool take_name(struct toml_reader *reader, struct arena *arena, str *name, struct steptime_error *err)
{
    if (peek(reader) == '"' || peek(reader) == '\'')
        return take_text(reader, arena, name, err);
    const str start = reader->rest;
    while (is_bare(peek(reader)))
        step(reader, 1);
    *name = (str){start.at, start.len - reader->rest.len};
    return name->len || broken(reader, err, "a name is expected here");
}

/* `a."b c".d`, appended to the key. */
static bool take_key(struct toml_reader *reader, struct arena *arena, struct toml_key *key, struct steptime_error *err)
{
    do {
        if (key->count == TOML_KEYS)
            return broken(reader, err, "a key of too many names");
        skip_blanks(reader);
        if (!take_name(reader, arena, &key->names[key->count++], err))
            return false;
        skip_blanks(reader);
    } while (take(reader, S(".")));
    return true;
}

static bool take_table(struct toml_reader *reader, struct arena *arena, struct steptime_error *err)
{
    const bool list = take(reader, S("[["));
    if (!list)
        take(reader, S("["));
    reader->table.count = 0;
    if (!take_key(reader, arena, &reader->table, err))
        return false;
    return take(reader, list ? S("]]") : S("]")) || broken(reader, err, "a table's name is not closed by ]");
}

/* ---- values ---- */

/* A number, a date, a word: up to what ends a value. */
static str take_word(struct toml_reader *reader)
{
    const str start = reader->rest;
    while (reader->rest.len && !strchr(" \t\r\n,]}#", peek(reader)))
        step(reader, 1);
    return (str){start.at, start.len - reader->rest.len};
}

static bool take_plain(struct toml_reader *reader, struct toml_item *item, struct steptime_error *err)
{
    const str word = take_word(reader);
    if (!word.len)
        return broken(reader, err, "a value is expected here");
    item->kind = TOML_OTHER;
    if (str_eq(word, S("true")) || str_eq(word, S("false"))) {
        item->kind = TOML_BOOL;
        item->flag = word.at[0] == 't';
    } else if (str_int(word, &item->number)) {
        item->kind = TOML_INT;
    }
    return true;
}

/* Up to the bracket that closes the one just taken, whatever is in between. */
static bool skip_brackets(struct toml_reader *reader, struct arena *arena, struct steptime_error *err)
{
    for (size_t depth = 1; depth;) {
        skip_space(reader);
        const char c = peek(reader);
        str text;
        if (!reader->rest.len)
            return broken(reader, err, "a bracket is not closed");
        if (c == '"' || c == '\'') {
            if (!take_text(reader, arena, &text, err))
                return false;
            continue;
        }
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        step(reader, 1);
    }
    return true;
}

/* Behind `[`. An array that holds anything but texts is stepped over. */
static bool take_array(struct toml_reader *reader, struct arena *arena, struct toml_item *item,
                       struct steptime_error *err)
{
    uint32_t room = 8;
    str *texts = arena_array(arena, room, sizeof *texts);
    item->kind = TOML_TEXTS;
    item->texts = texts;
    for (;;) {
        skip_space(reader);
        if (take(reader, S("]")))
            return true;
        if (peek(reader) != '"' && peek(reader) != '\'') {
            item->kind = TOML_OTHER;
            return skip_brackets(reader, arena, err);
        }
        if (item->text_count == room) {
            str *more = arena_array(arena, (size_t)room * 2, sizeof *more);
            memcpy(more, texts, room * sizeof *more);
            item->texts = texts = more;
            room *= 2;
        }
        if (!take_text(reader, arena, &texts[item->text_count++], err))
            return false;
        skip_space(reader);
        if (!take(reader, S(",")) && peek(reader) != ']')
            return broken(reader, err, "a comma or ] is expected behind a text of a list");
    }
}

static bool take_any(struct toml_reader *reader, struct arena *arena, struct toml_item *item,
                     struct steptime_error *err)
{
    if (peek(reader) == '"' || peek(reader) == '\'') {
        item->kind = TOML_TEXT;
        return take_text(reader, arena, &item->text, err);
    }
    if (take(reader, S("[")))
        return take_array(reader, arena, item, err);
    if (take(reader, S("{"))) {
        item->kind = TOML_OTHER;
        return skip_brackets(reader, arena, err);
    }
    return take_plain(reader, item, err);
}

static bool take_value(struct toml_reader *reader, struct arena *arena, struct toml_item *item,
                       struct steptime_error *err)
{
    const str start = reader->rest;
    if (!take_any(reader, arena, item, err))
        return false;
    if (item->kind == TOML_OTHER)
        item->text = (str){start.at, start.len - reader->rest.len};
    return true;
}

/* Nothing but a comment may follow. */
static bool take_line_end(struct toml_reader *reader, struct steptime_error *err)
{
    skip_blanks(reader);
    skip_comment(reader);
    take(reader, S("\r"));
    return !reader->rest.len || peek(reader) == '\n' || broken(reader, err, "the line goes on behind its end");
}

static bool take_item(struct toml_reader *reader, struct arena *arena, struct toml_item *item,
                      struct steptime_error *err)
{
    *item = (struct toml_item){.key = reader->table, .line = reader->line};
    if (!take_key(reader, arena, &item->key, err))
        return false;
    if (!take(reader, S("=")))
        return broken(reader, err, "= is expected behind a key");
    skip_blanks(reader);
    return take_value(reader, arena, item, err) && take_line_end(reader, err);
}

bool toml_next(struct toml_reader *reader, struct arena *arena, struct toml_item *item, struct steptime_error *err)
{
    for (skip_space(reader); peek(reader) == '['; skip_space(reader))
        if (!take_table(reader, arena, err) || !take_line_end(reader, err))
            return false;
    return reader->rest.len && take_item(reader, arena, item, err);
}
