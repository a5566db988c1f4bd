/* SPDX-License-Identifier: Apache-2.0 */
#include "mentioned.h"

#include <string.h>

#include "base/arena.h"
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

/* Of a name in which `-` stands for `_`: `some-name` is asked for as `some_name`. */
static uint64_t hash_of_option(struct arena *scratch, str option)
{
    if (!memchr(option.at, '-', option.len))
        return hash_bytes(option.at, option.len);
    char *name = arena_array(scratch, option.len, sizeof *name);
    for (size_t i = 0; i < option.len; i++)
        name[i] = option.at[i] == '-' ? '_' : option.at[i];
    return hash_bytes(name, option.len);
}

/* Options that are given on a command line, and keys of settings. */
static void add_options(struct arena *scratch, struct map *words, str text, bool all)
{
    for (size_t from = 0, to; from < text.len; from = to + 1) {
        for (to = from; to < text.len && (is_of_name(text.at[to]) || text.at[to] == '-');)
            to++;
        str option = {text.at + from, to - from};
        const bool given = str_starts(option, S("--"));
        while (option.len && *option.at == '-')
            option = (str){option.at + 1, option.len - 1};
        if (option.len && (given || all))
            map_put(words, (int64_t)hash_of_option(scratch, option), 0);
    }
}

/* Of a document, what is run by it: what stands between fences, and lines in which a script is named. */
static void add_commands(struct arena *scratch, struct map *words, str text)
{
    bool fenced = false;
    for (str line; str_cut(&text, '\n', &line);) {
        if (str_has(line, S("```")))
            fenced = !fenced;
        if (fenced || str_has(line, S(".py ")))
            add_options(scratch, words, line, false);
    }
}

/* Adds the words of a file and its bytes to those of all. False: it cannot be read, or is too large. */
static bool add_file(str path, struct map *words, size_t *bytes)
{
    struct arena scratch = {0};
    str text;
    const bool read = read_file(&scratch, str_z(&scratch, path), MOST_BYTES, &text, NULL) &&
                      (*bytes += text.len) <= MOST_BYTES_OF_ALL;
    if (read && is_document(path)) {
        add_commands(&scratch, words, text);
    } else if (read) {
        add_words(words, text);
        add_options(&scratch, words, text, true);
    }
    arena_free(&scratch);
    return read;
}

bool mentioned_read(const struct texts *paths, struct map *words, str *ended)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        *ended = paths->at[i];
        if (i == MOST_FILES || !add_file(paths->at[i], words, &bytes))
            return false;
    }
    return true;
}
