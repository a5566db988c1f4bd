/* SPDX-License-Identifier: Apache-2.0 */
#include "compose.h"

#include "base/buf.h"

/*
 * The text between as a row of parts: bytes of the first text that were kept, or
 * a text that was put in. The second edits are laid over it from left to right.
 */
struct part {
    bool kept;
    uint32_t begin;  /* of a kept part: where it stands in the first text */
    str text;        /* of one put in; "" where bytes only went */
    uint32_t length; /* bytes of either */
    uint64_t tags;   /* of one put in */
};

struct parts {
    struct part *at;
    uint32_t count;
    uint32_t next, passed; /* the part to go on with, and how much of it is behind us */
};

static void add(struct parts *parts, struct part part)
{
    if (part.length || !part.kept)
        parts->at[parts->count++] = part;
}

static struct part kept(uint32_t begin, uint32_t end)
{
    return (struct part){.kept = true, .begin = begin, .length = end - begin};
}

static struct part put(str text, uint64_t tags)
{
    return (struct part){.text = text, .length = (uint32_t)text.len, .tags = tags};
}

static uint64_t tags_of(struct edit_list edits, uint32_t i)
{
    return edits.tags ? edits.tags[i] : 0;
}

/* At most a part before and one for each edit, and what remains. */
static struct parts parts_of(struct arena *arena, uint32_t bytes, struct edit_list edits)
{
    struct parts parts = {.at = arena_array(arena, 2 * (size_t)edits.count + 1, sizeof *parts.at)};
    uint32_t from = 0;
    for (uint32_t i = 0; i < edits.count; i++) {
        add(&parts, kept(from, edits.at[i].begin));
        add(&parts, put(edits.at[i].text, tags_of(edits, i)));
        from = edits.at[i].end;
    }
    add(&parts, kept(from, bytes));
    return parts;
}

static struct part slice(const struct part *part, uint32_t from, uint32_t length)
{
    if (part->kept)
        return kept(part->begin + from, part->begin + from + length);
    return put((str){part->text.at + from, length}, part->tags);
}

/* Moves on by so many bytes, into `to` or nowhere; the tags of what went nowhere. */
static uint64_t pass(struct parts *parts, uint32_t bytes, struct parts *to)
{
    uint64_t tags = 0;
    while (bytes) {
        const struct part *part = &parts->at[parts->next];
        const uint32_t left = part->length - parts->passed, length = bytes < left ? bytes : left;
        if (to)
            add(to, slice(part, parts->passed, length));
        else
            tags |= part->tags;
        bytes -= length;
        parts->passed += length;
        if (parts->passed == part->length) {
            parts->next++;
            parts->passed = 0;
        }
    }
    return tags;
}

static uint32_t length_of(const struct parts *parts)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        length += parts->at[i].length;
    return length;
}

static struct parts lay_over(struct arena *arena, struct parts *between, struct edit_list edits)
{
    struct parts parts = {.at = arena_array(arena, between->count + 2 * (size_t)edits.count + 1, sizeof *parts.at)};
    uint32_t from = 0;
    for (uint32_t i = 0; i < edits.count; i++) {
        pass(between, edits.at[i].begin - from, &parts);
        const uint64_t before = pass(between, edits.at[i].end - edits.at[i].begin, NULL);
        add(&parts, put(edits.at[i].text, before | tags_of(edits, i)));
        from = edits.at[i].end;
    }
    pass(between, length_of(between) - from, &parts);
    while (between->next < between->count) /* bytes that went at the very end */
        add(&parts, between->at[between->next++]);
    return parts;
}

/* What was put in between two kept parts takes the place of the bytes between them. */
static struct edit_list edits_of(struct arena *arena, const struct parts *parts, uint32_t bytes)
{
    struct edit_list list = {.at = arena_array(arena, (size_t)parts->count + 1, sizeof *list.at),
                             .tags = arena_array(arena, (size_t)parts->count + 1, sizeof *list.tags)};
    struct buf text = {0};
    uint32_t from = 0;
    uint64_t tags = 0;
    for (uint32_t i = 0; i <= parts->count; i++) {
        if (i < parts->count && !parts->at[i].kept) {
            buf_add(&text, parts->at[i].text);
            tags |= parts->at[i].tags;
            continue;
        }
        const uint32_t begin = i < parts->count ? parts->at[i].begin : bytes;
        if (text.len || begin > from) {
            list.tags[list.count] = tags;
            list.at[list.count++] = (struct edit){from, begin, str_copy(arena, buf_str(&text)), 0};
        }
        buf_clear(&text);
        tags = 0;
        from = begin + (i < parts->count ? parts->at[i].length : 0);
    }
    buf_free(&text);
    return list;
}

struct edit_list edits_compose(struct arena *arena, uint32_t bytes, struct edit_list first, struct edit_list then)
{
    struct arena scratch = {0};
    struct parts between = parts_of(&scratch, bytes, first);
    const struct parts parts = lay_over(&scratch, &between, then);
    const struct edit_list list = edits_of(arena, &parts, bytes);
    arena_free(&scratch);
    return list;
}
