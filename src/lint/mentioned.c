/* SPDX-License-Identifier: Apache-2.0 */
#include "mentioned.h"

#include "base/hash.h"
#include "read_file.h"

enum { MOST_FILES = 2048, MOST_BYTES = 4 << 20, MOST_BYTES_OF_ALL = 16 << 20 };

static bool is_document(str path)
{
    return str_ends(path, S(".md")) || str_ends(path, S(".rst"));
}

bool mentioned_is_in(str path)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".jsonnet", ".toml", ".cfg", ".ini", ".gin", ".sh"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(path, str_of(endings[i])))
            return true;
    return is_document(path);
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

/* Options that are given on a command line, and keys of settings: `some-name` is asked for as `some_name`. */
static void add_options(struct arena *arena, struct map *words, str text, bool all)
{
    for (size_t from = 0, to; from < text.len; from = to + 1) {
        for (to = from; to < text.len && (is_of_name(text.at[to]) || text.at[to] == '-');)
            to++;
        str option = {text.at + from, to - from};
        const bool given = str_starts(option, S("--"));
        while (option.len && *option.at == '-')
            option = (str){option.at + 1, option.len - 1};
        if (!option.len || (!given && !all))
            continue;
        char *name = arena_array(arena, option.len, sizeof *name);
        for (size_t i = 0; i < option.len; i++)
            name[i] = option.at[i] == '-' ? '_' : option.at[i];
        map_put(words, (int64_t)hash_bytes(name, option.len), 0);
    }
}

/* Of a document, what is run by it: what stands between fences, and lines in which a script is named. */
static void add_commands(struct arena *arena, struct map *words, str text)
{
    bool fenced = false;
    for (str line; str_cut(&text, '\n', &line);) {
        if (str_has(line, S("```")))
            fenced = !fenced;
        if (fenced || str_has(line, S(".py ")))
            add_options(arena, words, line, false);
    }
}

bool mentioned_read(struct arena *arena, const struct texts *paths, struct map *words, str *ended)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        str text;
        *ended = paths->at[i];
        if (i == MOST_FILES || !read_file(arena, str_z(arena, paths->at[i]), MOST_BYTES, &text, NULL))
            return false;
        bytes += text.len;
        if (bytes > MOST_BYTES_OF_ALL)
            return false;
        if (is_document(paths->at[i])) {
            add_commands(arena, words, text);
            continue;
        }
        add_words(words, text);
        add_options(arena, words, text, true);
    }
    return true;
}
