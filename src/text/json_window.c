/* SPDX-License-Identifier: Apache-2.0 */
#include "json_window.h"

#include "base/mem.h"

static void set_end(struct json_window *window, char *end)
{
    memset(end, 0, JSON_PAD);
    window->end = end;
}

void json_window_open(struct json_window *window, struct source *source, size_t room, _Atomic int64_t *progress)
{
    *window = (struct json_window){.source = source, .room = room, .progress = progress};
    window->bytes = mem_alloc(room + JSON_PAD);
    window->at = window->bytes;
    set_end(window, window->bytes);
}

void json_window_close(struct json_window *window)
{
    mem_free(window->bytes);
    *window = (struct json_window){0};
}

/* Moves the wanted bytes to the front. */
static void slide(struct json_window *window)
{
    const size_t wanted = (size_t)(window->end - window->at);
    window->before += window->at - window->bytes;
    memmove(window->bytes, window->at, wanted);
    window->at = window->bytes;
    set_end(window, window->bytes + wanted);
}

static void grow(struct json_window *window, size_t limit)
{
    const size_t held = (size_t)(window->end - window->bytes);
    window->room = window->room > limit / 2 ? limit : window->room * 2;
    window->bytes = mem_resize(window->bytes, window->room + JSON_PAD);
    window->at = window->bytes;
    set_end(window, window->bytes + held);
}

/* Reads at least `wanted` bytes, if there are as many. False where there is none. */
static bool read_some(struct json_window *window, size_t wanted)
{
    const size_t before = (size_t)(window->end - window->bytes);
    size_t held = before;
    while (held < window->room && held - before < wanted && !window->ended) {
        const size_t got = source_read(window->source, window->bytes + held, window->room - held);
        window->ended = got == 0;
        held += got;
    }
    set_end(window, window->bytes + held);
    if (window->progress)
        *window->progress = source_packed_bytes(window->source);
    return held > before;
}

bool json_window_more(struct json_window *window, size_t limit)
{
    if (window->ended)
        return false;
    if (window->at > window->bytes)
        slide(window);
    const size_t wanted = (size_t)(window->end - window->bytes);
    if (wanted == window->room && wanted >= limit)
        return false;
    if (wanted == window->room)
        grow(window, limit);
    return read_some(window, wanted + 1);
}

char json_window_peek(struct json_window *window)
{
    for (;;) {
        window->at = json_blank(window->at);
        if (window->at < window->end)
            return *window->at;
        if (!json_window_more(window, window->room))
            return 0;
    }
}

/* At the first byte that `scan` stops at; a NUL inside the text is passed over. False at the end of the source. */
static bool seek(struct json_window *window, const char *(*scan)(const char *))
{
    for (;;) {
        window->at = scan(window->at);
        if (window->at < window->end && *window->at)
            return true;
        if (window->at < window->end)
            window->at++;
        else if (!json_window_more(window, window->room))
            return false;
    }
}

/* Behind the quote that ends the string; `at` is behind the one that began it. */
static bool skip_string(struct json_window *window)
{
    while (seek(window, json_plain)) {
        const char c = *window->at++;
        if (c == '"')
            return true;
        if (c == '\\' && (window->at < window->end || json_window_more(window, window->room)))
            window->at++;
    }
    return false;
}

static const char *scalar_scan(const char *at)
{
    while (*at && *at != ',' && *at != '}' && *at != ']' && (unsigned char)*at > ' ')
        at++;
    return at;
}

bool json_window_skip(struct json_window *window)
{
    const char first = json_window_peek(window);
    if (first != '{' && first != '[' && first != '"')
        return seek(window, scalar_scan);
    enum { DEEPEST = 1 << 20 };
    for (int depth = 0; depth < DEEPEST && seek(window, json_mark);) {
        const char c = *window->at++;
        if (c == '"' && !skip_string(window))
            return false;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth <= 0)
            return true;
    }
    return false;
}
