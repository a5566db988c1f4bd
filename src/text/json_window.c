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
    *window = (struct json_window){
        .source = source, .before = source_offset(source), .room = room, .step = room, .progress = progress};
    window->bytes = mem_alloc(room + JSON_PAD);
    window->at = window->bytes;
    set_end(window, window->bytes);
}

void json_window_close(struct json_window *window)
{
    mem_free(window->bytes);
    *window = (struct json_window){0};
}

struct json_window json_window_of_text(char *text, size_t length, int64_t offset)
{
    struct json_window window = {.bytes = text, .room = length, .at = text, .before = offset, .ended = true};
    set_end(&window, text + length);
    return window;
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

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* From the source; 0 at its end. */
static size_t read_source(struct json_window *window, char *into, size_t room)
{
    const size_t got = window->ended ? 0 : source_read(window->source, into, room);
    window->ended = got == 0;
    if (window->progress)
        *window->progress = source_packed_bytes(window->source);
    return got;
}

/* Reads at least `wanted` bytes, if there are as many. False where there is none. */
static bool read_some(struct json_window *window, size_t wanted)
{
    const size_t before = (size_t)(window->end - window->bytes);
    size_t held = before;
    while (held < window->room && held - before < wanted && !window->ended)
        held += read_source(window, window->bytes + held, smaller(window->room - held, window->step));
    set_end(window, window->bytes + held);
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

size_t json_window_take(struct json_window *window, char *into, size_t room)
{
    const size_t held = (size_t)(window->end - window->at);
    if (!held) {
        const size_t got = read_source(window, into, room);
        window->before += (int64_t)got;
        return got;
    }
    const size_t count = smaller(held, room);
    memcpy(into, window->at, count);
    window->at += count;
    return count;
}

void json_window_unread(struct json_window *window, const char *bytes, size_t count)
{
    const int64_t offset = json_window_offset(window, window->at) - (int64_t)count;
    const size_t held = (size_t)(window->end - window->at);
    if ((size_t)(window->at - window->bytes) < count) {
        slide(window);
        if (window->room < held + count)
            window->bytes = mem_resize(window->bytes, (window->room = held + count) + JSON_PAD);
        memmove(window->bytes + count, window->bytes, held);
        window->at = window->bytes + count;
        set_end(window, window->bytes + count + held);
    }
    window->at -= count;
    memcpy(window->bytes + (window->at - window->bytes), bytes, count);
    window->before = offset - (window->at - window->bytes);
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
    for (int64_t depth = 0; seek(window, json_mark);) {
        const char c = *window->at++;
        if (c == '"' && !skip_string(window))
            return false;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth <= 0)
            return true;
    }
    return false;
}
