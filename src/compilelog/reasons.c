/* SPDX-License-Identifier: Apache-2.0 */
#include "reasons.h"

/* ---- texts ---- */

/* Moves `text` behind the mark; false where it does not hold it. */
static bool skip_past(str *text, str mark)
{
    const char *const at = text->len >= mark.len ? memmem(text->at, text->len, mark.at, mark.len) : NULL;
    if (at)
        *text = str_from(*text, (size_t)(at - text->at) + mark.len);
    return at != NULL;
}

static str first_line(str text)
{
    str line;
    return str_cut(&text, '\n', &line) ? str_trim(line) : S("");
}

/* The decimal digits that a text begins with. */
static bool leading_number(str *text, int64_t *value)
{
    size_t digits = 0;
    while (digits < text->len && text->at[digits] >= '0' && text->at[digits] <= '9')
        digits++;
    const bool good = digits && str_int((str){text->at, digits}, value);
    *text = str_from(*text, digits);
    return good;
}

/* ---- guards ---- */

str reason_of(str text)
{
    const str line = first_line(str_trim(text));
    str rest = line;
    int64_t number;
    const bool has_id = leading_number(&rest, &number) && str_starts(rest, S("/"));
    return has_id && skip_past(&rest, S(": ")) ? str_trim(rest) : line;
}

/* "L['x']" and "self.x": as the program names it. */
static str tensor_name(str name)
{
    if (str_starts(name, S("L['")) && str_ends(name, S("']")) && name.len >= 5)
        return (str){name.at + 3, name.len - 5};
    return name;
}

struct log_size reason_size(str reason)
{
    static const str behind = {"' size mismatch at index ", 25};
    str rest = reason;
    if (!skip_past(&rest, S("tensor '")))
        return (struct log_size){0};
    const str from = rest;
    struct log_size size = {0};
    if (!skip_past(&rest, behind) || !leading_number(&rest, &size.dimension))
        return (struct log_size){0};
    const str name = {from.at, (size_t)(rest.at - from.at)};
    const char *const end = memmem(name.at, name.len, behind.at, behind.len);
    const bool good = skip_past(&rest, S("expected ")) && leading_number(&rest, &size.expected) &&
                      skip_past(&rest, S("actual ")) && leading_number(&rest, &size.actual);
    if (!good || !end)
        return (struct log_size){0};
    size.tensor = tensor_name((str){name.at, (size_t)(end - name.at)});
    return size;
}

/* Where two blanks and a '#' begin the remark of a guard; the end. */
static size_t remark_at(str text)
{
    const char *const at = memmem(text.at, text.len, "  #", 3);
    return at ? (size_t)(at - text.at) : text.len;
}

struct log_value reason_value(str reason)
{
    const size_t end = remark_at(reason);
    str value = {reason.at, end}, code = str_trim(str_from(reason, end));
    const str guard = value;
    struct log_value found = {0};
    if (!skip_past(&value, S(" == ")))
        return found;
    found.subject = tensor_name(str_trim((str){guard.at, (size_t)(value.at - guard.at) - 4}));
    found.value = str_trim(value);
    code = str_starts(code, S("#")) ? str_trim(str_from(code, 1)) : S("");
    found.code = str_trim((str){code.at, remark_at(code)});
    return found;
}

/* ---- places ---- */

/* "FILE:14", the last colon counts. */
static struct log_place file_and_line(str text, struct arena *arena)
{
    struct log_place place = {0};
    size_t colon = text.len;
    while (colon && text.at[colon - 1] != ':')
        colon--;
    if (colon > 1 && str_int(str_from(text, colon), &place.line) && place.line > 0)
        place.file = str_copy(arena, (str){text.at, colon - 1});
    return place.file.len ? place : (struct log_place){0};
}

struct log_place place_of_stack(str stack, struct arena *arena)
{
    struct log_place place = {0};
    for (str file; skip_past(&stack, S("File \""));) {
        if (!str_cut(&stack, '"', &file) || !str_starts(stack, S(", line ")))
            continue;
        stack = str_from(stack, 7);
        int64_t line;
        if (!leading_number(&stack, &line) || line <= 0)
            continue;
        str code = stack;
        code = skip_past(&code, S("\n")) ? first_line(code) : S("");
        place = (struct log_place){file, line, str_starts(code, S("File \"")) ? S("") : code};
    }
    place.file = place.file.len ? str_copy(arena, place.file) : S("");
    place.code = place.code.len ? str_copy(arena, place.code) : S("");
    return place;
}

struct log_place place_of_comment(str line, struct arena *arena)
{
    str rest = str_trim(line);
    if (!str_starts(rest, S("# File: ")))
        return (struct log_place){0};
    rest = str_from(rest, 8);
    str code = rest;
    const bool has_code = skip_past(&code, S(", code: "));
    const char *const in = memmem(rest.at, rest.len, " in ", 4);
    str file = in ? (str){rest.at, (size_t)(in - rest.at)} : rest;
    if (!in && has_code)
        file.len = (size_t)(code.at - rest.at) - 8;
    struct log_place place = file_and_line(file, arena);
    if (place.file.len && has_code)
        place.code = str_copy(arena, code);
    return place;
}

/* ---- breaks ---- */

/* The rest of the line behind a word; "" where it is not there. */
static str line_behind(str text, str word, struct arena *arena)
{
    return skip_past(&text, word) ? str_copy(arena, first_line(text)) : S("");
}

/* Where the first line only leads in ("... when attempting to trace CALL: a function call, e.g. f(x, y):"), the next. */
static str break_reason(str text)
{
    str line = S("");
    while (str_cut(&text, '\n', &line))
        if (str_trim(line).len && !str_ends(str_trim(line), S(":")))
            break;
    return str_trim(line);
}

struct log_break reason_of_break(str body, struct arena *arena)
{
    struct log_break found = {0};
    str rest = body;
    if (skip_past(&rest, S("Graph break in user code at ")))
        found.place = file_and_line(first_line(rest), arena);
    str stack = body;
    if (skip_past(&stack, S("User code traceback:"))) {
        str until = stack;
        if (skip_past(&until, S("Traceback (most recent call last)")))
            stack.len = (size_t)(until.at - stack.at);
        const struct log_place inner = place_of_stack(stack, arena);
        if (inner.line == found.place.line && str_eq(inner.file, found.place.file))
            found.place.code = inner.code;
    }
    rest = body;
    if (!skip_past(&rest, S("Graph Break Reason: ")))
        skip_past(&rest, S("\n"));
    found.reason = str_copy(arena, break_reason(rest));
    found.explanation = line_behind(body, S("  Explanation: "), arena);
    found.hint = line_behind(body, S("  Hint: "), arena);
    return found;
}
