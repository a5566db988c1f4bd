/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the source, writing the output. Whether a quote ends a string is
 * told by what follows it: in an object a key with its colon, or a bracket that
 * fits; a quote that nothing of the kind follows is part of the text.
 */
#include "json_repair.h"

struct mender {
    const char *at, *end; /* of the source */
    struct json_repair *out;
    uint64_t objects; /* the open containers, a bit each, the innermost lowest: objects are 1 */
    unsigned depth;
    bool member; /* outside of all containers it is as in an object */
    bool lost;   /* it cannot be understood from `at` on, or the source ended */
};

/* What a string stands in. */
enum string_place { AS_KEY, IN_OBJECT, IN_ARRAY };

static void put(struct mender *m, str text)
{
    buf_add(&m->out->text, text);
}

static void put_char(struct mender *m, char c)
{
    buf_char(&m->out->text, c);
}

static void flaw(struct mender *m, enum json_flaw kind)
{
    if (!m->out->flaws)
        m->out->first = m->at;
    m->out->flaws |= 1u << kind;
}

static void lose(struct mender *m, const char *at)
{
    m->at = at;
    m->lost = true;
}

static bool in_object(const struct mender *m)
{
    return m->depth ? m->objects & 1 : m->member;
}

/* Takes note of a look ahead that got to the end of the text, or may have been decided by it. */
static const char *look(struct mender *m, const char *at)
{
    m->out->unsure |= at >= m->end;
    return at;
}

static bool is_one_of(char c, const char *some)
{
    return c && strchr(some, c);
}

/* ---- strings ---- */

/* A key with its colon begins at the quote. */
static bool is_key(struct mender *m, const char *quote)
{
    if (*quote != '"')
        return false;
    const char *const end = look(m, json_plain(quote + 1));
    return *end == '"' && *look(m, json_blank(end + 1)) == ':';
}

static bool bracket_fits(struct mender *m, const char *bracket)
{
    const char *const next = look(m, json_blank(bracket + 1));
    return next >= m->end || is_one_of(*next, ",]}");
}

/* A quote before `at` ends a string in this place. */
static bool ends_string(struct mender *m, const char *at, enum string_place place)
{
    at = look(m, json_blank(at));
    if (place == AS_KEY)
        return *at == ':';
    if (is_one_of(*at, "]}"))
        return bracket_fits(m, at);
    if (*at != ',')
        return place == IN_OBJECT && is_key(m, at);
    at = look(m, json_blank(at + 1));
    return place == IN_OBJECT ? is_key(m, at) || is_one_of(*at, "]}") : is_one_of(*at, "\"-[{]tfn0123456789");
}

enum { LONGEST_ESCAPE = 6, LONGEST_UTF8 = 4 }; /* bytes */

/* Bytes of the escape at the backslash; 0 where it is none. */
static size_t escape_length(const char *at)
{
    if (at[1] != 'u')
        return is_one_of(at[1], "\"\\/bfnrt") ? 2 : 0;
    for (int i = 2; i < 6; i++)
        if (!char_is_hex(at[i]))
            return 0;
    return 6;
}

/* A backslash before the quote that ends the string escapes nothing: C:\dir\ */
static void mend_escape(struct mender *m, enum string_place place)
{
    const size_t length = escape_length(m->at);
    if (!length)
        look(m, m->at + LONGEST_ESCAPE);
    if (length && !(m->at[1] == '"' && ends_string(m, m->at + 2, place))) {
        put(m, (str){m->at, length});
        m->at += length;
        return;
    }
    flaw(m, FLAW_ESCAPE);
    put(m, S("\\\\"));
    m->at++;
}

static void mend_control(struct mender *m)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char c = (unsigned char)*m->at;
    flaw(m, FLAW_CONTROL);
    put(m, S("\\u00"));
    put_char(m, hex[c >> 4]);
    put_char(m, hex[c & 15]);
    m->at++;
}

static void mend_utf8(struct mender *m)
{
    const char *wrong;
    const char *const behind = json_utf8_end(m->at, &wrong);
    if (behind) {
        put(m, (str){m->at, (size_t)(behind - m->at)});
        m->at = behind;
        return;
    }
    look(m, m->at + LONGEST_UTF8);
    flaw(m, FLAW_UTF8);
    put(m, S("\xEF\xBF\xBD"));
    m->at++;
}

/* A key that only structure has begins at the quote. */
static bool is_landmark(struct mender *m, const char *quote)
{
    if (!m->out->landmarks || !is_key(m, quote))
        return false;
    const str key = {quote + 1, (size_t)(json_plain(quote + 1) - quote - 1)};
    for (const str *landmark = m->out->landmarks; landmark->len; landmark++)
        if (str_eq(*landmark, key))
            return true;
    return false;
}

/* The quote at `at` is a landmark, so the string should have ended at the comma before. */
static void end_before_landmark(struct mender *m)
{
    struct buf *const text = &m->out->text;
    const char *at = m->at;
    while (text->len && is_one_of(text->at[text->len - 1], " \t")) {
        text->len--;
        at--;
    }
    if (!text->len || text->at[text->len - 1] != ',') {
        lose(m, m->at);
        return;
    }
    flaw(m, FLAW_QUOTE);
    text->at[text->len - 1] = '"';
    m->at = at - 1;
}

/* True where the string ends at the quote. A quote inside of a key is not to be expected. */
static bool mend_quote(struct mender *m, enum string_place place)
{
    if (ends_string(m, m->at + 1, place)) {
        put_char(m, *m->at++);
        return true;
    }
    if (place == AS_KEY) {
        lose(m, m->at + 1);
        return true;
    }
    if (place == IN_OBJECT && is_landmark(m, m->at)) {
        end_before_landmark(m);
        return true;
    }
    flaw(m, FLAW_QUOTE);
    put(m, S("\\\""));
    m->at++;
    return false;
}

/* The string whose opening quote is at `at`. */
static void mend_string(struct mender *m, enum string_place place)
{
    put_char(m, *m->at++);
    while (!m->lost) {
        const char *const stop = json_plain(m->at);
        put(m, (str){m->at, (size_t)(stop - m->at)});
        m->at = stop;
        if (stop >= m->end)
            lose(m, m->end);
        else if (*stop == '"' && mend_quote(m, place))
            return;
        else if (*stop == '\\')
            mend_escape(m, place);
        else if ((unsigned char)*stop >= 0x80)
            mend_utf8(m);
        else if (*stop != '"')
            mend_control(m);
    }
}

/* ---- values ---- */

/* A bare word, up to what may follow a value. */
static void mend_word(struct mender *m)
{
    flaw(m, FLAW_WORD);
    const char *const start = m->at;
    while ((unsigned char)*m->at >= ' ' && !is_one_of(*m->at, ",]}\"{[:"))
        m->at++;
    look(m, m->at);
    if (m->at == start && !is_one_of(*start, ",]}"))
        lose(m, start);
    put(m, S("null"));
}

static void mend_scalar(struct mender *m)
{
    const char *wrong;
    const char *const end = json_value_end(m->at, &wrong);
    const char *const next = look(m, end ? json_blank(end) : wrong);
    if (!end || !(end >= m->end || is_one_of(*next, ",]}\""))) {
        mend_word(m);
        return;
    }
    put(m, (str){m->at, (size_t)(end - m->at)});
    m->at = end;
}

static void open(struct mender *m)
{
    enum { DEEPEST = 64 };
    if (m->depth == DEEPEST) {
        lose(m, m->at);
        return;
    }
    m->objects = m->objects << 1 | (*m->at == '{');
    m->depth++;
    put_char(m, *m->at++);
}

static void close(struct mender *m)
{
    put_char(m, in_object(m) ? '}' : ']');
    m->objects >>= 1;
    m->depth--;
}

/* Takes back the comma before a closing bracket. */
static void drop_comma(struct mender *m)
{
    struct buf *const text = &m->out->text;
    if (text->len && text->at[text->len - 1] == ',') {
        flaw(m, FLAW_COMMA);
        text->len--;
    }
}

/* True where a value was put, false where a container was opened or a closing bracket is next. */
static bool mend_value(struct mender *m)
{
    if (*m->at == '{' || *m->at == '[') {
        open(m);
        return false;
    }
    if (*m->at == '"')
        mend_string(m, in_object(m) ? IN_OBJECT : IN_ARRAY);
    else
        mend_scalar(m);
    return true;
}

/* A key and its colon. */
static void mend_key(struct mender *m)
{
    if (*m->at != '"') {
        lose(m, m->at);
        return;
    }
    mend_string(m, AS_KEY);
    m->at = json_blank(m->at);
    if (m->lost)
        return;
    put_char(m, *m->at); /* mend_string made sure of the colon */
    m->at = json_blank(m->at + 1);
}

/* In a container, where a member or element may begin, or the bracket. True where a value was put. */
static bool mend_item(struct mender *m)
{
    while (*(m->at = json_blank(m->at)) == ',') {
        flaw(m, FLAW_COMMA);
        m->at++;
    }
    if (m->at >= m->end) {
        lose(m, m->end);
        return false;
    }
    if (is_one_of(*m->at, "]}") || (in_object(m) && *m->at == '{')) {
        drop_comma(m);
        return true;
    }
    if (in_object(m))
        mend_key(m);
    return m->lost ? false : mend_value(m);
}

/* Behind a value: the comma, or the brackets. True where a member or element may follow. */
static bool mend_after(struct mender *m)
{
    while (m->depth && !m->lost) {
        m->at = json_blank(m->at);
        const char c = *m->at;
        if (m->at >= m->end) {
            lose(m, m->end);
        } else if (c == (in_object(m) ? '}' : ']')) {
            m->at++;
            close(m);
        } else if (is_one_of(c, "]}") || (c == '{' && in_object(m))) {
            flaw(m, FLAW_BRACKET);
            close(m);
        } else {
            if (c == ',')
                m->at++;
            else
                flaw(m, FLAW_COMMA);
            put_char(m, ',');
            return true;
        }
    }
    return false;
}

const char *json_repair(const char *at, const char *end, bool member, struct json_repair *repair, const char **wrong)
{
    struct mender m = {.at = at, .end = end, .out = repair, .member = member};
    buf_clear(&repair->text);
    repair->flaws = 0;
    repair->unsure = false;
    bool more = !mend_value(&m) || mend_after(&m);
    while (more && !m.lost)
        more = !mend_item(&m) || mend_after(&m);
    if (m.lost) {
        *wrong = m.at;
        return NULL;
    }
    static const char padding[JSON_PAD];
    buf_add(&repair->text, (str){padding, JSON_PAD});
    repair->text.len -= JSON_PAD;
    return m.at;
}

void json_flaws_text(unsigned flaws, struct buf *text)
{
    static const char *const names[FLAWS] = {
        "a quote without its backslash",
        "a backslash that escapes nothing",
        "a control character in a string",
        "bytes that are not UTF-8",
        "a value that is no JSON",
        "a comma too many or too few",
        "a bracket too few",
    };
    for (unsigned kind = 0; kind < FLAWS; kind++)
        if (flaws >> kind & 1)
            buf_printf(text, "%s%s", text->len ? ", " : "", names[kind]);
}
