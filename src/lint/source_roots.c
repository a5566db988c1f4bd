/* SPDX-License-Identifier: Apache-2.0 */
#include "source_roots.h"

#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "config.h"
#include "read_file.h"
#include "syntax/syntax.h"
#include "text/toml.h"

struct finding_roots {
    struct arena *arena;
    struct source_root *at;
    size_t count, room;
    struct map seen; /* folders, by hash: one that is taken for another costs its roots */
    str below;       /* the folder that is looked at */
};

/* ---- what is said ---- */

static void add(struct finding_roots *found, str package, str folder)
{
    while (str_starts(folder, S("./")))
        folder = str_from(folder, 2);
    if (str_eq(folder, S(".")))
        folder = S("");
    const bool top = !found->below.len;
    found->at = mem_grow(found->at, &found->room, found->count + 1, sizeof *found->at);
    found->at[found->count++] = (struct source_root){found->below, str_copy(found->arena, package),
                                                     top ? str_copy(found->arena, folder)
                                                         : str_printf(found->arena, "%.*s/%.*s", (int)found->below.len,
                                                                      found->below.at, (int)folder.len, folder.at)};
}

/* "code/mypkg": the package mypkg lies in code. */
static void add_package(struct finding_roots *found, str path)
{
    const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
    if (slash)
        add(found, S(""), (str){path.at, (size_t)(slash - path.at)});
}

/* ---- values of TOML that are tables or lists of them: `{"" = "impl"}`, `[{include = "a", from = "b"}]` ---- */

struct pairs {
    str rest, key;
};

static str quoted(str *rest)
{
    const char quote = rest->at[0];
    const char *end = memchr(rest->at + 1, quote, rest->len - 1);
    const str text = {rest->at + 1, end ? (size_t)(end - rest->at) - 1 : rest->len - 1};
    *rest = str_from(*rest, text.len + 2 < rest->len ? text.len + 2 : rest->len);
    return text;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static str bare(str *rest)
{
    size_t bytes = 0;
    while (bytes < rest->len && is_word(rest->at[bytes]))
        bytes++;
    const str text = {rest->at, bytes};
    *rest = str_from(*rest, bytes);
    return text;
}

/* The next text behind a key: of `key = ["a", "b"]` a and then b, under the same key. */
static bool next_pair(struct pairs *pairs, str *value)
{
    while (pairs->rest.len) {
        const char c = pairs->rest.at[0];
        if (!is_word(c) && c != '"' && c != '\'') {
            pairs->rest = str_from(pairs->rest, 1);
            continue;
        }
        const str text = is_word(c) ? bare(&pairs->rest) : quoted(&pairs->rest);
        const str behind = str_trim(pairs->rest);
        if (!str_starts(behind, S("="))) {
            *value = text;
            return true;
        }
        pairs->key = text;
    }
    return false;
}

static void setuptools_folders(struct finding_roots *found, str text)
{
    struct pairs pairs = {.rest = text};
    for (str value; next_pair(&pairs, &value);)
        add(found, pairs.key, value);
}

static void where_of(struct finding_roots *found, str text)
{
    struct pairs pairs = {.rest = text};
    for (str value; next_pair(&pairs, &value);)
        if (str_eq(pairs.key, S("where")))
            add(found, S(""), value);
}

static void poetry_packages(struct finding_roots *found, str text)
{
    struct pairs pairs = {.rest = text};
    for (str value; next_pair(&pairs, &value);)
        if (str_eq(pairs.key, S("from")))
            add(found, S(""), value);
}

/* ---- pyproject.toml ---- */

static str key_end(const struct toml_key *key)
{
    return key->count ? key->names[key->count - 1] : S("");
}

/* Whether the key is `tool.first...`, and then these names to its end. */
static bool is_key(const struct toml_key *key, const char *names)
{
    str rest = str_of(names), name;
    uint32_t i = 0;
    for (; str_cut(&rest, '.', &name); i++)
        if (i >= key->count || !str_eq(key->names[i], name))
            return false;
    return i == key->count;
}

static bool is_below(const struct toml_key *key, const char *names)
{
    struct toml_key above = *key;
    above.count -= above.count > 0;
    return is_key(&above, names);
}

static void texts_of(const struct toml_item *item, struct finding_roots *found,
                     void (*take)(struct finding_roots *found, str text))
{
    if (item->kind == TOML_TEXT)
        take(found, item->text);
    for (uint32_t i = 0; item->kind == TOML_TEXTS && i < item->text_count; i++)
        take(found, item->texts[i]);
}

static void add_all(struct finding_roots *found, str folder)
{
    add(found, S(""), folder);
}

static void take_item(struct finding_roots *found, const struct toml_item *item)
{
    const struct toml_key *key = &item->key;
    if (is_key(key, "tool.setuptools.packages.find.where"))
        texts_of(item, found, add_all);
    else if (is_key(key, "tool.setuptools.packages") && item->kind == TOML_OTHER)
        where_of(found, item->text);
    else if (is_key(key, "tool.setuptools.packages.find") && item->kind == TOML_OTHER)
        where_of(found, item->text);
    else if (is_key(key, "tool.setuptools.package-dir") && item->kind == TOML_OTHER)
        setuptools_folders(found, item->text);
    else if (is_below(key, "tool.setuptools.package-dir") && item->kind == TOML_TEXT)
        add(found, key_end(key), item->text);
    else if (is_key(key, "tool.poetry.packages.from"))
        texts_of(item, found, add_all);
    else if (is_key(key, "tool.poetry.packages") && item->kind == TOML_OTHER)
        poetry_packages(found, item->text);
    else if (is_key(key, "tool.pdm.build.package-dir") || is_key(key, "tool.pdm.package-dir"))
        texts_of(item, found, add_all);
    else if (is_key(key, "tool.hatch.build.targets.wheel.packages") || is_key(key, "tool.hatch.build.packages"))
        texts_of(item, found, add_package);
    else if (is_key(key, "tool.hatch.build.targets.wheel.sources") || is_key(key, "tool.hatch.build.sources"))
        texts_of(item, found, add_all);
}

static void read_pyproject(struct finding_roots *found, str path, str text)
{
    struct toml_reader reader = toml_reader(path, text);
    struct toml_item item;
    while (toml_next(&reader, found->arena, &item, NULL))
        take_item(found, &item);
}

/* ---- setup.cfg ---- */

/* `where = a` on its line, or `package_dir =` with ` name = folder` on the lines below. */
static void read_setup_cfg(struct finding_roots *found, str path, str text)
{
    (void)path;
    str section = S(""), key = S(""), line;
    while (str_cut(&text, '\n', &line)) {
        const bool inside = line.len && (line.at[0] == ' ' || line.at[0] == '\t');
        str value = str_trim(line), name;
        if (str_starts(value, S("["))) {
            section = str_trim(value);
            continue;
        }
        if (!inside && str_cut(&value, '=', &name)) {
            key = str_trim(name);
            value = str_trim(value);
        }
        const bool folders = str_eq(section, S("[options]")) && str_eq(key, S("package_dir"));
        if (str_eq(section, S("[options.packages.find]")) && str_eq(key, S("where")) && value.len)
            add(found, S(""), value);
        else if (folders && memchr(value.at ? value.at : "", '=', value.len) && str_cut(&value, '=', &name))
            add(found, str_trim(name), str_trim(value));
    }
}

/* ---- setup.py ---- */

static str text_of(const struct syntax *tree, uint32_t node)
{
    const str text = syntax_is(tree, node, SYN_STRING) ? syntax_text(tree, node) : S("");
    const bool plain = text.len >= 2 && (text.at[0] == '"' || text.at[0] == '\'');
    return plain ? (str){text.at + 1, text.len - 2} : (str){0};
}

static void package_folders(struct finding_roots *found, const struct syntax *tree, uint32_t dict)
{
    for (uint32_t item = syntax_first(tree, dict); item != SYNTAX_NONE; item = syntax_next(tree, item)) {
        const bool pair = tree->kind[item] == SYN_PAIR;
        const str package = pair ? text_of(tree, item + 1) : (str){0};
        const str folder = pair ? text_of(tree, syntax_child(tree, item, 1)) : (str){0};
        if (package.at && folder.at)
            add(found, package, folder);
    }
}

static void read_setup_py(struct finding_roots *found, str path, str text)
{
    const struct syntax *tree = syntax_parse(found->arena, path, text);
    for (uint32_t node = 0; tree && node < tree->count; node++) {
        if (syntax_calls(tree, node, S("setup"))) {
            const uint32_t folders = syntax_argument(tree, node, SYNTAX_NONE, "package_dir");
            if (syntax_is(tree, folders, SYN_DICT))
                package_folders(found, tree, folders);
        } else if (syntax_calls(tree, node, S("find_packages")) ||
                   syntax_calls(tree, node, S("find_namespace_packages"))) {
            const str where = text_of(tree, syntax_argument(tree, node, 0, "where"));
            if (where.at)
                add(found, S(""), where);
        }
    }
}

/* ---- folders ---- */

static void read_one(struct finding_roots *found, const char *name,
                     void (*read)(struct finding_roots *found, str path, str text))
{
    const str path = found->below.len || found->below.at
                         ? str_printf(found->arena, "%.*s/%s", (int)found->below.len, found->below.at, name)
                         : str_of(name);
    str text;
    if (access(path.at, R_OK) == 0 && read_file(found->arena, path.at, CONFIG_BYTES, &text, NULL))
        read(found, path, text);
}

/* False where the folder was looked at before, and so were those above. */
static bool look_at(struct finding_roots *found, str folder)
{
    const int64_t key = (int64_t)hash_bytes(folder.at ? folder.at : "", folder.len);
    if (map_get(&found->seen, key) != MAP_NONE)
        return false;
    map_put(&found->seen, key, 1);
    found->below = folder;
    read_one(found, "pyproject.toml", read_pyproject);
    read_one(found, "setup.cfg", read_setup_cfg);
    read_one(found, "setup.py", read_setup_py);
    return true;
}

struct source_roots source_roots_find(struct arena *arena, const str *paths, uint32_t count)
{
    struct finding_roots found = {.arena = arena};
    for (uint32_t i = 0; i < count; i++) {
        str folder = paths[i];
        while (str_starts(folder, S("./")))
            folder = str_from(folder, 2);
        do {
            const char *slash = folder.len ? memrchr(folder.at, '/', folder.len) : NULL;
            folder = slash ? (str){folder.at, (size_t)(slash - folder.at)} : (str){0};
        } while (look_at(&found, folder) && folder.len);
    }
    const struct source_roots roots = {arena_array(arena, found.count, sizeof *roots.at), (uint32_t)found.count};
    if (found.count)
        memcpy(roots.at, found.at, found.count * sizeof *roots.at);
    mem_free(found.at);
    map_free(&found.seen);
    return roots;
}
