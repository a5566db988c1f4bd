/* SPDX-License-Identifier: Apache-2.0 */
#include "json_writer.h"

#include <assert.h>
#include <math.h>

#include "base/format.h"
#include "base/real.h"
#include "base/utf8.h"
#include "io/writer.h"

/* A byte of the stack. */
enum { OBJECT = 1, FLAT = 2 };

static bool within(const struct json_writer *json, char trait)
{
    return json->open.len && (json->open.at[json->open.len - 1] & trait);
}

struct json_writer json_write_begin(struct writer *out)
{
    return (struct json_writer){.out = out};
}

void json_write_finish(struct json_writer *json)
{
    assert(!json->open.len);
    writer_put(json->out, S("\n"));
    buf_free(&json->open);
}

static void line_break(struct json_writer *json)
{
    static const char blanks[] = "\n                ";
    const size_t depth = json->open.len < sizeof blanks - 2 ? json->open.len : sizeof blanks - 2;
    writer_put(json->out, (str){blanks, 1 + depth});
}

/* Before a member: its comma and its place. */
static void separate(struct json_writer *json)
{
    if (!json->open.len)
        return;
    if (json->filled)
        writer_put(json->out, within(json, FLAT) ? S(", ") : S(","));
    if (!within(json, FLAT))
        line_break(json);
    json->filled = true;
}

static void before_value(struct json_writer *json)
{
    assert(within(json, OBJECT) == json->keyed);
    if (!json->keyed)
        separate(json);
    json->keyed = false;
}

static void open_bracket(struct json_writer *json, char trait, enum json_layout layout)
{
    before_value(json);
    const bool flat = layout == JSON_FLAT || within(json, FLAT);
    buf_char(&json->open, (char)(trait | (flat ? FLAT : 0)));
    json->filled = false;
    writer_put(json->out, trait == OBJECT ? S("{") : S("["));
}

void json_write_object(struct json_writer *json, enum json_layout layout)
{
    open_bracket(json, OBJECT, layout);
}

void json_write_array(struct json_writer *json, enum json_layout layout)
{
    open_bracket(json, 0, layout);
}

void json_write_end(struct json_writer *json)
{
    assert(json->open.len && !json->keyed);
    const char trait = json->open.at[--json->open.len];
    if (json->filled && !(trait & FLAT))
        line_break(json);
    json->filled = true;
    writer_put(json->out, trait & OBJECT ? S("}") : S("]"));
}

/* ---- texts ---- */

static void put_escaped(struct writer *out, uint32_t c)
{
    static const char letters[] = "btn\0fr"; /* from U+0008 on */
    if (c == '"' || c == '\\')
        writer_printf(out, "\\%c", (char)c);
    else if (c >= 8 && c <= 13 && letters[c - 8])
        writer_printf(out, "\\%c", letters[c - 8]);
    else
        writer_printf(out, "\\u%04x", (unsigned)c);
}

/* JSON demands it below U+0020; DEL and C1 are escaped too, since output may reach a terminal. */
static bool needs_escape(uint32_t c)
{
    return c < 0x20 || c == '"' || c == '\\' || (c >= 0x7F && c < 0xA0);
}

static void put_text(struct writer *out, str text)
{
    size_t plain = 0; /* bytes [plain, i) wait to be written as they are */
    size_t i = 0;
    writer_put(out, S("\""));
    while (i < text.len) {
        const size_t length = utf8_length(text.at + i, text.len - i);
        const uint32_t c = length ? utf8_character(text.at + i, length) : 0xFFFD;
        if (length && !needs_escape(c)) {
            i += length;
            continue;
        }
        writer_put(out, (str){text.at + plain, i - plain});
        if (length)
            put_escaped(out, c);
        else
            writer_put(out, S("\xEF\xBF\xBD"));
        i += length ? length : 1;
        plain = i;
    }
    writer_put(out, str_from(text, plain));
    writer_put(out, S("\""));
}

void json_write_key(struct json_writer *json, str key)
{
    assert(within(json, OBJECT) && !json->keyed);
    separate(json);
    put_text(json->out, key);
    writer_put(json->out, S(": "));
    json->keyed = true;
}

void json_write_text(struct json_writer *json, str value)
{
    before_value(json);
    put_text(json->out, value);
}

/* ---- numbers and words ---- */

static void put_word(struct json_writer *json, str word)
{
    before_value(json);
    writer_put(json->out, word);
}

void json_write_int(struct json_writer *json, int64_t value)
{
    char digits[24];
    const int len = format_text(digits, sizeof digits, "%lld", (long long)value);
    put_word(json, (str){digits, (size_t)len});
}

void json_write_real(struct json_writer *json, double value)
{
    char room[REAL_ROOM];
    put_word(json, isfinite(value) ? real_text(value, room) : S("null"));
}

void json_write_bool(struct json_writer *json, bool value)
{
    put_word(json, value ? S("true") : S("false"));
}

void json_write_null(struct json_writer *json)
{
    put_word(json, S("null"));
}

void json_write_raw(struct json_writer *json, str value)
{
    put_word(json, value);
}

void json_write_member(struct json_writer *json, str key, str value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

void json_write_list(struct json_writer *json, str key)
{
    json_write_key(json, key);
    json_write_array(json, JSON_LINES);
}
