/* SPDX-License-Identifier: Apache-2.0 */
#include "mentioned.h"

#include "base/hash.h"
#include "read_file.h"

enum { MOST_FILES = 2048, MOST_BYTES = 4 << 20, MOST_BYTES_OF_ALL = 16 << 20 };

bool mentioned_is_in(str path)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".jsonnet", ".toml", ".cfg", ".ini", ".gin", ".sh"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(path, str_of(endings[i])))
            return true;
    return false;
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void add_words(struct map *words, str text)
{
    for (size_t from = 0, to; from < text.len; from = to + 1) {
        for (to = from; to < text.len && is_of_name(text.at[to]);)
            to++;
        if (to > from)
            map_put(words, (int64_t)hash_bytes(text.at + from, to - from), 0);
    }
}

bool mentioned_read(struct arena *arena, const struct texts *paths, struct map *words)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        str text;
        if (i == MOST_FILES || !read_file(arena, str_z(arena, paths->at[i]), MOST_BYTES, &text, NULL))
            return false;
        bytes += text.len;
        if (bytes > MOST_BYTES_OF_ALL)
            return false;
        add_words(words, text);
    }
    return true;
}
