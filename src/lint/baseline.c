/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "io/writer.h"
#include "read_file.h"

enum { BASELINE_BYTES = 64 << 20 };

/* ---- what tells a finding ---- */

struct entry {
    str file, rule, text;
    uint32_t count;
};

/* Up to its block where it has one: what stands in the loop is not the loop. */
static str head_of(const struct syntax *tree, uint32_t statement)
{
    uint32_t end = tree->end[statement];
    for (uint32_t at = syntax_first(tree, statement); at != SYNTAX_NONE; at = syntax_next(tree, at))
        if (tree->kind[at] == SYN_BLOCK && tree->begin[at] < end)
            end = tree->begin[at];
    return (str){tree->text.at + tree->begin[statement], end - tree->begin[statement]};
}

static str with_single_blanks(struct arena *arena, str text)
{
    char *at = arena_alloc(arena, text.len + 1);
    size_t len = 0;
    text = str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        const bool blank = char_is_blank(text.at[i]);
        if (!blank || (len && at[len - 1] != ' '))
            at[len++] = blank ? ' ' : text.at[i];
    }
    return (str){at, len};
}

static str folder_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const str folder = slash ? str_copy(arena, (str){path, (size_t)(slash - path) + 1}) : S(".");
    char *real = realpath(folder.at, NULL);
    const str whole = real ? str_copy(arena, str_of(real)) : folder;
    free(real);
    return whole;
}

static str seen_from(struct arena *arena, str folder, str path)
{
    char *real = realpath(str_z(arena, path), NULL);
    if (!real)
        return path;
    const str whole = str_copy(arena, str_of(real)), rest = str_from(whole, folder.len);
    free(real);
    return str_starts(whole, folder) && str_starts(rest, S("/")) ? str_from(rest, 1) : path;
}

static struct entry entry_of(struct arena *arena, str folder, const struct lint *lint, const struct match *match)
{
    const struct lint_file *file = &lint->files[match->file];
    const uint32_t statement = syntax_statement(file->tree, match->node);
    return (struct entry){seen_from(arena, folder, file->path), str_of(match->rule->id),
                          with_single_blanks(arena, head_of(file->tree, statement)), 1};
}

static int64_t key_of(const struct entry *entry)
{
    uint64_t hash = hash_stable(entry->rule.at, entry->rule.len);
    hash = hash_mix(hash ^ hash_stable(entry->file.at, entry->file.len));
    return (int64_t)hash_mix(hash ^ hash_stable(entry->text.at, entry->text.len));
}

/* ---- reading ---- */

static bool read_line(str line, struct entry *entry)
{
    str count;
    int64_t many;
    if (!str_cut(&line, '\t', &entry->rule) || !str_cut(&line, '\t', &entry->file) || !str_cut(&line, '\t', &count) ||
        !str_int(count, &many) || many < 1 || many > UINT32_MAX)
        return false;
    entry->count = (uint32_t)many;
    entry->text = line;
    return true;
}

/* By key how many are left. */
static bool read_entries(const char *path, str text, struct map *left, struct steptime_error *err)
{
    str line;
    for (int64_t number = 1; str_cut(&text, '\n', &line); number++) {
        struct entry entry;
        if (!str_trim(line).len || str_starts(line, S("#")))
            continue;
        if (!read_line(line, &entry))
            return fail_at(err, STEPTIME_INPUT, str_of(path), -1,
                           "line %lld: no line of a baseline: rule, file, count and statement, with tabs between",
                           (long long)number);
        map_put(left, key_of(&entry), entry.count);
    }
    return true;
}

static bool is_known(struct map *left, const struct entry *entry)
{
    const uint32_t count = map_get(left, key_of(entry));
    if (count == MAP_NONE || !count)
        return false;
    map_put(left, key_of(entry), count - 1);
    return true;
}

static void take_away(struct lint *lint, const char *path, struct map *left)
{
    struct arena scratch = {0};
    const str folder = folder_of(&scratch, path);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lint->finding_count; i++) {
        const struct match *match = lint->findings[i].match;
        const struct entry entry = match ? entry_of(&scratch, folder, lint, match) : (struct entry){0};
        if (match && is_known(left, &entry))
            lint->baselined_count++;
        else
            lint->findings[kept++] = lint->findings[i];
    }
    lint->finding_count = kept;
    arena_free(&scratch);
}

bool baseline_apply(const char *path, struct lint *lint, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct map left = {0};
    str text;
    const bool good = read_file(&scratch, path, BASELINE_BYTES, &text, err) && read_entries(path, text, &left, err);
    lint->has_baseline = true;
    if (good)
        take_away(lint, path, &left);
    map_free(&left);
    arena_free(&scratch);
    return good;
}

/* ---- writing ---- */

static int by_text(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int file = str_cmp(x->file, y->file), rule = file ? file : str_cmp(x->rule, y->rule);
    return rule ? rule : str_cmp(x->text, y->text);
}

static void write_entries(struct writer *out, struct entry *entries, uint32_t count)
{
    if (count)
        qsort(entries, count, sizeof *entries, by_text);
    writer_put(out, S("# steptime baseline: rule, file, how many, statement\n"));
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !by_text(&entries[i], &entries[end]);)
            end++;
        const struct entry *at = &entries[i];
        writer_printf(out, "%.*s\t%.*s\t%u\t%.*s\n", (int)at->rule.len, at->rule.at, (int)at->file.len, at->file.at,
                      end - i, (int)at->text.len, at->text.at);
    }
}

bool baseline_write(const char *path, const struct lint *lint, struct steptime_error *err)
{
    struct writer *out = writer_open(path, err);
    if (!out)
        return false;
    struct arena scratch = {0};
    const str folder = folder_of(&scratch, path);
    struct entry *entries = arena_array(&scratch, lint->finding_count, sizeof *entries);
    uint32_t count = 0;
    for (uint32_t i = 0; i < lint->finding_count; i++)
        if (lint->findings[i].match)
            entries[count++] = entry_of(&scratch, folder, lint, lint->findings[i].match);
    write_entries(out, entries, count);
    arena_free(&scratch);
    return writer_close(out, err);
}
