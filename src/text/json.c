/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include "base/real.h"

struct json json_at(const char *at, struct arena *arena)
{
    return (struct json){.at = at, .arena = arena};
}

struct json json_of(str text, struct arena *arena)
{
    char *copy = arena_alloc(arena, text.len + JSON_PAD);
    if (text.len)
        memcpy(copy, text.at, text.len);
    return json_at(copy, arena);
}

static bool wrong(struct json *json, const char *at)
{
    json->at = at;
    json->failed = true;
    return false;
}

/* Takes the end of a step, or its failure. */
static bool step(struct json *json, const char *end, const char *bad)
{
    if (!end)
        return wrong(json, bad);
    json->at = end;
    json->first = false;
    return true;
}

char json_peek(struct json *json)
{
    json->at = json_blank(json->at);
    return *json->at;
}

bool json_enter(struct json *json)
{
    if (json->failed)
        return false;
    const char open = json_peek(json);
    if (open != '{' && open != '[')
        return wrong(json, json->at);
    json->at++;
    return json->first = true;
}

/* To the next member or element; false at the closing bracket, which is taken. */
static bool next(struct json *json, char close)
{
    if (json->failed)
        return false;
    const char c = json_peek(json);
    if (c == close) {
        json->at++;
        return json->first = false;
    }
    if (!json->first) {
        if (c != ',')
            return wrong(json, json->at);
        json->at++;
        json_peek(json);
    }
    return true;
}

bool json_item(struct json *json)
{
    return next(json, ']');
}

bool json_key(struct json *json, str *key)
{
    if (!next(json, '}') || !json_string(json, key))
        return false;
    if (json_peek(json) != ':')
        return wrong(json, json->at);
    json->at++;
    return true;
}

bool json_string(struct json *json, str *text)
{
    if (json->failed)
        return false;
    if (json_peek(json) != '"')
        return wrong(json, json->at);
    const char *const start = json->at + 1;
    const char *bad = NULL;
    const char *const end = json_string_end(start, &bad);
    if (!end)
        return wrong(json, bad);
    *text = json_decode(json->arena, (str){start, (size_t)(end - start)});
    return step(json, end + 1, NULL);
}

bool json_int(struct json *json, int64_t *value)
{
    if (json->failed)
        return false;
    json_peek(json);
    const char *bad = json->at;
    int64_t number;
    const char *end = json_fixed(json->at, 0, &number, &bad);
    if (end && number == JSON_FAR)
        end = NULL;
    if (end)
        *value = number;
    return step(json, end, bad);
}

bool json_raw(struct json *json, str *text)
{
    if (json->failed)
        return false;
    json_peek(json);
    const char *const start = json->at;
    const char *bad = NULL;
    const char *const end = json_value_end(start, &bad);
    if (end)
        *text = (str){start, (size_t)(end - start)};
    return step(json, end, bad);
}

bool json_skip(struct json *json)
{
    str ignored;
    return json_raw(json, &ignored);
}

bool json_real(struct json *json, double *value)
{
    json_peek(json);
    const char *const start = json->at;
    str raw;
    if (!json_raw(json, &raw))
        return false;
    if (*start != '-' && !json_is_digit(*start))
        return wrong(json, start);
    return real_prefix(raw, value) || wrong(json, start);
}

/* ---- decoding ---- */

static uint32_t hex4(const char *at)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++)
        code = code << 4 | (uint32_t)(json_is_digit(at[i]) ? at[i] - '0' : (at[i] | 0x20) - 'a' + 10);
    return code;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* The code behind \u, with the other half of a surrogate pair; moves *at on. */
static uint32_t take_code(const char **at, const char *end)
{
    enum { REPLACEMENT = 0xFFFD };
    const uint32_t code = hex4(*at);
    *at += 4;
    if (code < 0xD800 || code > 0xDFFF)
        return code;
    if (code > 0xDBFF || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return REPLACEMENT;
    const uint32_t low = hex4(*at + 2);
    if (low < 0xDC00 || low > 0xDFFF)
        return REPLACEMENT;
    *at += 6;
    return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
}

static char plain_escape(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c;
    }
}

str json_decode(struct arena *arena, str raw)
{
    if (!raw.len || !memchr(raw.at, '\\', raw.len))
        return raw;
    char *const start = arena_alloc(arena, raw.len); /* an escape is never shorter than what it stands for */
    char *to = start;
    for (const char *at = raw.at, *end = raw.at + raw.len; at < end;) {
        if (*at != '\\') {
            *to++ = *at++;
        } else if (at[1] == 'u') {
            at += 2;
            to = put_utf8(to, take_code(&at, end));
        } else {
            *to++ = plain_escape(at[1]);
            at += 2;
        }
    }
    return (str){start, (size_t)(to - start)};
}
