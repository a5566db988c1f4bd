/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, and the holes of formatted ones, in which anything can stand: other strings too, with the same quotes. */
#include "prepare_state.h"

static bool closes(const struct prepare *p, struct quoting string)
{
    const char *at = p->text + p->at;
    if (*at != string.quote)
        return false;
    return !string.triple || (p->at + 2 < p->len && at[1] == *at && at[2] == *at);
}

/* Over a backslash and what it takes its meaning from. */
static void pass_escape(struct prepare *p)
{
    prepare_top(p)->tokens++;
    p->at++;
    if (p->at + 1 < p->len && p->text[p->at] == '\r' && p->text[p->at + 1] == '\n')
        p->at++;
    if (p->at < p->len)
        p->at++;
}

/* \N{DASH}: these braces are no hole. */
static bool pass_name(struct prepare *p)
{
    const char *at = p->text + p->at;
    if (p->len - p->at < 3 || at[1] != 'N' || at[2] != '{')
        return false;
    const char *end = memchr(at, '}', p->len - p->at);
    const char *line = memchr(at, '\n', p->len - p->at);
    if (!end || (line && line < end))
        return false;
    p->at = (uint32_t)(end + 1 - p->text);
    return true;
}

static bool opens_hole(const struct prepare *p, struct quoting string)
{
    return string.formatted && p->text[p->at] == '{' && p->open_count < MOST_DEPTH;
}

static void open_hole(struct prepare *p, struct quoting string, bool in_spec)
{
    p->at++;
    prepare_push(p, (struct prepare_open){.begin = p->at, .kind = OPEN_HOLE, .in_spec = in_spec, .string = string});
}

/* A string without its end ends with its line, one of several lines with the text. */
void prepare_string(struct prepare *p, struct quoting string)
{
    while (p->at < p->len && (string.triple || p->text[p->at] != '\n')) {
        const char c = p->text[p->at];
        if (c == '\\') {
            if (!string.formatted || string.raw || !pass_name(p))
                pass_escape(p);
        } else if (closes(p, string)) {
            p->at += string.triple ? 3 : 1;
            return;
        } else if (string.formatted && (c == '{' || c == '}') && p->at + 1 < p->len && p->text[p->at + 1] == c) {
            p->at += 2;
        } else if (opens_hole(p, string)) {
            open_hole(p, string, false);
            return;
        } else {
            p->at++;
        }
    }
    p->unclosed |= string.triple;
}

void prepare_close_hole(struct prepare *p)
{
    const struct prepare_open hole = *prepare_top(p);
    prepare_pop(p, p->at);
    p->at++;
    if (hole.in_spec && prepare_top(p)->kind == OPEN_HOLE)
        prepare_spec(p);
    else
        prepare_string(p, hole.string);
}

/* The string ends inside a hole: all its holes are given up. */
static void abandon(struct prepare *p)
{
    while (prepare_top(p)->kind == OPEN_HOLE && prepare_top(p)->in_spec)
        prepare_pop(p, p->at);
    if (prepare_top(p)->kind == OPEN_HOLE)
        prepare_pop(p, p->at);
}

void prepare_spec(struct prepare *p)
{
    const struct quoting string = prepare_top(p)->string;
    prepare_top(p)->spec = true;
    if (p->at < p->len && p->text[p->at] == '=') /* {a:=9} is no assignment */
        p->text[p->at] = ' ';
    while (p->at < p->len) {
        const char c = p->text[p->at];
        if (opens_hole(p, string)) {
            open_hole(p, string, true);
            return;
        }
        if (closes(p, string) || (c == '\n' && !string.triple)) {
            p->at += c == '\n' ? 0 : string.triple ? 3 : 1;
            abandon(p);
            return;
        }
        if (c == '}') {
            const struct prepare_open hole = *prepare_top(p);
            prepare_pop(p, p->at);
            p->at++;
            if (!hole.in_spec || prepare_top(p)->kind != OPEN_HOLE) {
                prepare_string(p, string);
                return;
            }
            continue; /* in the spec of the hole around */
        }
        p->at++;
    }
}
