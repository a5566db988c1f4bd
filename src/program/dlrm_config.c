/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/error.h"
#include "text/suggest.h"
#include "dlrm.h"
#include "io/source.h"
#include "text/toml.h"

/* data/dlrm.toml, built in. */
extern const char dlrm_toml[];
extern const size_t dlrm_toml_bytes;

enum { FILE_BYTES = 1 << 20, MOST_TABLES = 1 << 20 };

/* Sizes beyond this are no sizes: products of a few of them still fit. */
static const int64_t most = INT64_C(1) << 40;

/* ---- values ---- */

static bool size_of(str text, int64_t *size)
{
    return str_int(str_trim(text), size) && *size > 0 && *size <= most;
}

/* "512-512-64" */
static bool layers_of(str text, int64_t *into, uint32_t room, uint32_t *count)
{
    *count = 0;
    for (str part; str_cut(&text, '-', &part);)
        if (*count == room || !size_of(part, &into[(*count)++]))
            return false;
    return *count > 0;
}

/* "8 x 1000000" */
static bool equal_tables(str text, int64_t *count, int64_t *rows)
{
    str part;
    return str_cut(&text, 'x', &part) && size_of(part, count) && size_of(text, rows) && *count <= MOST_TABLES;
}

static bool tables_of(str text, struct arena *arena, struct dlrm *dlrm)
{
    int64_t count = 1, rows;
    if (equal_tables(text, &count, &rows)) {
        int64_t *tables = arena_array(arena, (size_t)count, sizeof *tables);
        for (int64_t i = 0; i < count; i++)
            tables[i] = rows;
        dlrm->tables = tables;
        dlrm->table_count = (uint32_t)count;
        return true;
    }
    for (size_t i = 0; i < text.len; i++)
        count += text.at[i] == '-';
    int64_t *tables = arena_array(arena, (size_t)count, sizeof *tables);
    dlrm->tables = tables;
    return count <= MOST_TABLES && layers_of(text, tables, (uint32_t)count, &dlrm->table_count);
}

static bool word_of(const struct toml_item *item, str yes, str no, bool *flag)
{
    *flag = str_eq(item->text, yes);
    return item->kind == TOML_TEXT && (*flag || str_eq(item->text, no));
}

static bool number_of(const struct toml_item *item, int64_t *number)
{
    *number = item->number;
    return item->kind == TOML_INT && *number > 0 && *number <= most;
}

/* NULL where the value is taken, else what it should be. */
static const char *take(str key, const struct toml_item *item, struct arena *arena, struct dlrm *d)
{
    bool flag;
    uint32_t count = 0;
    if (str_eq(key, S("batch")))
        return number_of(item, &d->batch) ? NULL : "a number of samples";
    if (str_eq(key, S("width")))
        return number_of(item, &d->width) ? NULL : "a number of elements";
    if (str_eq(key, S("lookups")))
        return number_of(item, &d->lookups) ? NULL : "a number of rows";
    if (str_eq(key, S("bottom"))) {
        const bool good = layers_of(item->text, d->bottom, DLRM_LAYERS + 1, &count) && count > 1;
        d->bottom_layers = good ? count - 1 : 0;
        return good ? NULL : "dense features and layers, \"512-512-64\"";
    }
    if (str_eq(key, S("top")))
        return layers_of(item->text, d->top, DLRM_LAYERS, &d->top_layers) ? NULL : "layers, \"1024-1024-1\"";
    if (str_eq(key, S("tables")))
        return tables_of(item->text, arena, d) ? NULL : "rows of tables, \"1000-2000\" or \"8 x 1000000\"";
    if (str_eq(key, S("interaction")))
        return word_of(item, S("dot"), S("cat"), &d->dot) ? NULL : "\"dot\" or \"cat\"";
    if (str_eq(key, S("loss")))
        return word_of(item, S("bce"), S("mse"), &d->bce) ? NULL : "\"bce\" or \"mse\"";
    if (str_eq(key, S("embedding")))
        return word_of(item, S("batched"), S("bag"), &d->batched) ? NULL : "\"batched\" or \"bag\"";
    if (!str_eq(key, S("pytorch")))
        return "one of bottom, top, tables, width, batch, lookups, interaction, loss, embedding, pytorch";
    const bool good = word_of(item, S("2021"), S("current"), &flag);
    d->era = flag ? DLRM_2021 : DLRM_CURRENT;
    return good ? NULL : "\"2021\" or \"current\"";
}

const char *dlrm_check(const struct dlrm *d)
{
    if (!d->bottom_layers || !d->top_layers || !d->table_count)
        return "one of bottom, top, tables is missing";
    if (d->width < 1 || d->batch < 1 || d->lookups < 1)
        return "width, batch and lookups are at least 1";
    if (d->dot && d->bottom[d->bottom_layers] != d->width)
        return "the last layer of bottom is not as wide as the embeddings";
    if (d->top[d->top_layers - 1] != 1)
        return "the last layer of top is not 1: there is one prediction a sample";
    int64_t indices;
    if (__builtin_mul_overflow(d->batch, d->lookups, &indices) ||
        __builtin_mul_overflow(indices, 8 * (int64_t)d->table_count, &indices))
        return "batch x lookups x tables is more than fits";
    return NULL;
}

/* ---- files ---- */

/* Takes the items of the table `name`, or those in no table where it is empty. */
static bool read_table(str path, str text, str name, struct arena *arena, struct dlrm *d, struct suggestion *names,
                       struct steptime_error *err)
{
    struct toml_reader reader = toml_reader(path, text);
    struct toml_item item;
    const uint32_t depth = name.len ? 2 : 1;
    while (toml_next(&reader, arena, &item, err)) {
        if (names && item.key.count == 2)
            suggest_offer(names, item.key.names[0]);
        if (item.key.count != depth || (name.len && !str_eq(item.key.names[0], name)))
            continue;
        const char *wanted = take(item.key.names[depth - 1], &item, arena, d);
        if (wanted)
            return fail_at(err, STEPTIME_INPUT, path, -1, "line %u: %.*s: here stands %s", item.line,
                           (int)item.key.names[depth - 1].len, item.key.names[depth - 1].at, wanted);
    }
    return !reader.broken;
}

static bool read_file(str path, struct arena *arena, str *text, struct steptime_error *err)
{
    struct source *source = source_open(str_z(arena, path), err);
    if (!source)
        return false;
    struct buf buf = {0};
    char block[4096];
    for (size_t got; buf.len <= FILE_BYTES && (got = source_read(source, block, sizeof block)) > 0;)
        buf_add(&buf, (str){block, got});
    source_close(source);
    *text = str_copy(arena, buf_str(&buf));
    const bool fits = buf.len <= FILE_BYTES;
    buf_free(&buf);
    return fits || fail_at(err, STEPTIME_INPUT, path, -1, "is too large for the description of a model");
}

static bool names_a_file(str name)
{
    return str_ends(name, S(".toml")) || str_has(name, S("/"));
}

bool dlrm_find(str name, struct arena *arena, struct dlrm *d, struct steptime_error *err)
{
    str text = {dlrm_toml, dlrm_toml_bytes};
    struct suggestion names = suggest(name);
    const bool file = names_a_file(name);
    *d = (struct dlrm){.name = name, .batch = 2048, .lookups = 1, .dot = true, .bce = true, .era = DLRM_CURRENT};
    if (file && !read_file(name, arena, &text, err))
        return false;
    if (!read_table(file ? name : S("data/dlrm.toml"), text, file ? S("") : name, arena, d, file ? NULL : &names, err))
        return false;
    if (!file && !d->table_count)
        return fail(err, STEPTIME_INPUT, "no model '%.*s'%s%.*s; there are default, mlperf and ddp", (int)name.len,
                    name.at, suggest_found(&names) ? ": did you mean " : "",
                    suggest_found(&names) ? (int)names.best.len : 0, names.best.at);
    const char *wrong = dlrm_check(d);
    return !wrong || fail_at(err, STEPTIME_INPUT, name, -1, "%s", wrong);
}
