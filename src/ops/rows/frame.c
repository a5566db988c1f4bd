/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

/* Index of the first byte of `part` in `s`; s.len where it is absent. */
static size_t find(str s, str part)
{
    const char *at = s.len >= part.len && s.len ? memmem(s.at, s.len, part.at, part.len) : NULL;
    return at ? (size_t)(at - s.at) : s.len;
}

static str until(str s, str stop)
{
    return (str){s.at, find(s, stop)};
}

/* "method item of Tensor object at 0x7f...", "function linear" */
static struct frame builtin(str rest)
{
    const str method = S("method "), function = S("function ");
    str name = {rest.at, rest.len && rest.at[rest.len - 1] == '>' ? rest.len - 1 : rest.len};
    if (str_starts(name, method))
        name = until(str_from(name, method.len), S(" of "));
    else if (str_starts(name, function))
        name = str_from(name, function.len);
    return (struct frame){FRAME_BUILTIN, S(""), -1, name};
}

/* "train.py(12): step". The last "): " ends the line: a folder may have parentheses in its name. */
static bool function(str text, struct frame *frame)
{
    const str stop = S("): ");
    size_t close = text.len;
    for (size_t from = 0, at; (at = from + find(str_from(text, from), stop)) < text.len; from = at + stop.len)
        close = at;
    if (close == text.len)
        return false;
    size_t open = close;
    while (open && text.at[open - 1] != '(')
        open--;
    int64_t line;
    if (open < 2 || !str_int((str){text.at + open, close - open}, &line))
        return false;
    *frame = (struct frame){FRAME_FUNCTION, {text.at, open - 1}, line, str_from(text, close + stop.len)};
    return true;
}

struct frame frame_parse(str text)
{
    const str start = S("<built-in "), module = S("nn.Module: ");
    struct frame frame = {FRAME_OTHER, S(""), -1, text};
    if (str_starts(text, start))
        return builtin(str_from(text, start.len));
    if (str_starts(text, module))
        return (struct frame){FRAME_MODULE, S(""), -1, str_from(text, module.len)};
    function(text, &frame);
    return frame;
}

bool frame_parse_place(str text, str *file, int64_t *line)
{
    size_t colon = text.len;
    while (colon && text.at[colon - 1] != ':')
        colon--;
    if (colon < 2 || !str_int(str_from(text, colon), line))
        return false;
    *file = (str){text.at, colon - 1};
    return true;
}

bool frame_of_library(const struct frame *frame)
{
    static const char *const interpreter[] = {"threading.py", "runpy.py", "contextlib.py", "functools.py"};
    if (frame->kind != FRAME_FUNCTION)
        return true;
    if (str_starts(frame->file, S("<")) || str_starts(frame->file, S("torch/")) || str_has(frame->file, S("/torch/")))
        return true;
    for (size_t i = 0; i < sizeof interpreter / sizeof *interpreter; i++)
        if (str_eq(frame->file, str_of(interpreter[i])))
            return true;
    return false;
}
