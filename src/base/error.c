/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdarg.h>

#include "format.h"

/* Keeps the end of a long path: the file name says more than the root. */
static void keep_path(struct steptime_error *err, str path)
{
    const size_t room = sizeof err->path - 1;
    if (path.len > room)
        path = str_from(path, path.len - room);
    if (path.len)
        memcpy(err->path, path.at, path.len);
    err->path[path.len] = 0;
}

static void fill(struct steptime_error *err, enum steptime_code code, str path, int64_t offset, const char *format,
                 va_list args)
{
    if (!err)
        return;
    char text[sizeof err->message];
    format_text_v(text, sizeof text, format, args);
    struct arena scratch = {0};
    const str shown = str_printable(&scratch, str_of(text));
    err->code = code;
    err->offset = offset;
    keep_path(err, path);
    format_text(err->message, sizeof err->message, "%.*s", (int)shown.len, shown.at);
    arena_free(&scratch);
}

bool fail(struct steptime_error *err, enum steptime_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, code, (str){0}, -1, format, args);
    va_end(args);
    return false;
}

bool fail_at(struct steptime_error *err, enum steptime_code code, str path, int64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, code, path, offset, format, args);
    va_end(args);
    return false;
}

str error_line(struct arena *arena, const struct steptime_error *err)
{
    const str path = str_printable(arena, str_of(err->path));
    if (!path.len)
        return str_printf(arena, "%s", err->message);
    if (err->offset < 0)
        return str_printf(arena, "%s: %s", path.at, err->message);
    return str_printf(arena, "%s: byte %lld: %s", path.at, (long long)err->offset, err->message);
}
