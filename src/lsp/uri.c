/* SPDX-License-Identifier: Apache-2.0 */
#include "uri.h"

#include "base/buf.h"

static unsigned hex(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

str uri_path(struct arena *arena, str uri)
{
    if (!str_starts(uri, S("file://")))
        return str_copy(arena, uri);
    const char *slash = memchr(uri.at + 7, '/', uri.len - 7); /* behind the host, which is this one */
    if (!slash)
        return str_copy(arena, uri);
    const str rest = {slash, uri.len - (size_t)(slash - uri.at)};
    char *path = arena_alloc(arena, rest.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < rest.len; i++) {
        const bool escaped =
            rest.at[i] == '%' && i + 2 < rest.len && char_is_hex(rest.at[i + 1]) && char_is_hex(rest.at[i + 2]);
        path[len++] = escaped ? (char)(hex(rest.at[i + 1]) << 4 | hex(rest.at[i + 2])) : rest.at[i];
        i += escaped ? 2 : 0;
    }
    while (len > 1 && path[len - 1] == '/')
        len--;
    return str_copy(arena, (str){path, len});
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~/", c));
}

str path_uri(struct arena *arena, str path)
{
    if (!str_starts(path, S("/")))
        return path;
    struct buf uri = {0};
    buf_add(&uri, S("file://"));
    for (size_t i = 0; i < path.len; i++) {
        if (is_plain(path.at[i]))
            buf_char(&uri, path.at[i]);
        else
            buf_printf(&uri, "%%%02X", (unsigned char)path.at[i]);
    }
    const str text = str_copy(arena, buf_str(&uri));
    buf_free(&uri);
    return text;
}
