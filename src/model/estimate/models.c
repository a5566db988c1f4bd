/* SPDX-License-Identifier: Apache-2.0 */
#include "models.h"

#include "base/buf.h"
#include "base/error.h"
#include "io/source.h"
#include "built_in.h"
#include "model/families/families.h"

enum { BLOCK_BYTES = 1 << 16, MOST_FILE_BYTES = 1 << 26 };

/* ---- making ---- */

static uint32_t number_of(const struct family *family)
{
    uint32_t number = 0;
    while (family_rows[number].family != family)
        number++;
    return number;
}

struct family_model *models_own(const struct models *models, const struct family *family)
{
    return models->own[number_of(family)];
}

const struct family_model *models_family(const struct models *models, const struct family *family)
{
    const struct family_model *own = models_own(models, family);
    return own ? own : built_in_family(number_of(family));
}

/* Read anew, so that all of it can be changed. */
struct family_model *models_make_own(struct models *models, const struct family *family, struct arena *arena)
{
    const uint32_t number = number_of(family);
    struct family_model **own = &models->own[number];
    const str text = {family_rows[number].text, *family_rows[number].text_bytes};
    if (*own)
        return *own;
    *own = arena_alloc(arena, sizeof **own);
    (*own)->family = family;
    if (!coefficients_read(text, 1, S("built in"), models->catalogue, arena, *own, NULL))
        **own = (struct family_model){.family = family};
    return *own;
}

/* Sets are added to groups in arrays of their own, so copies of the groups are enough. */
struct family_model **models_own_copied(const struct models *models, struct arena *arena)
{
    struct family_model **own = arena_array(arena, family_count, sizeof *own);
    for (uint32_t i = 0; i < family_count; i++) {
        if (!models->own[i])
            continue;
        const uint32_t count = models->own[i]->group_count;
        own[i] = arena_alloc(arena, sizeof *own[i]);
        *own[i] = *models->own[i];
        own[i]->groups = arena_array(arena, count, sizeof *own[i]->groups);
        if (count)
            memcpy(own[i]->groups, models->own[i]->groups, count * sizeof *own[i]->groups);
    }
    return own;
}

struct models *models_writable(struct arena *arena)
{
    struct models *models = arena_alloc(arena, sizeof *models);
    models->catalogue = catalogue_built_in();
    models->own = arena_array(arena, family_count, sizeof *models->own);
    return models;
}

const struct models *models_new(struct arena *arena)
{
    return models_writable(arena);
}

/* ---- files ---- */

static bool read_all(const char *path, struct buf *text, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return false;
    char block[BLOCK_BYTES];
    size_t got;
    while ((got = source_read(source, block, sizeof block)) > 0 && text->len <= MOST_FILE_BYTES)
        buf_add(text, (str){block, got});
    const char *damage = source_damage(source);
    const bool fine = !damage && text->len <= MOST_FILE_BYTES;
    if (!fine)
        fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", damage ? damage : "too large for a file of models");
    source_close(source);
    return fine;
}

/* The name after "family " where the line begins one. */
static bool begins_family(str line, str *name)
{
    const str word = S("family ");
    *name = str_starts(line, word) ? str_trim(str_from(line, word.len)) : S("");
    return name->len > 0;
}

/* Takes the lines of one family, up to the next; `line` is the number of its first. */
static str take_family(str *rest, uint32_t *line)
{
    str part, name;
    const char *start = NULL;
    size_t len = 0;
    for (str ahead = *rest; str_cut(&ahead, '\n', &part); *rest = ahead, ++*line) {
        const bool begins = begins_family(part, &name);
        if (begins && start)
            break;
        if (begins)
            start = part.at;
        if (start)
            len = (size_t)(part.at + part.len - start);
    }
    return (str){start, len};
}

static bool read_families(struct models *models, str text, str path, struct arena *arena, struct steptime_error *err)
{
    uint32_t line = 1, families = 0;
    for (;;) {
        const uint32_t first = line;
        str head, part = take_family(&text, &line), rest = part;
        if (!part.at)
            break;
        str_cut(&rest, '\n', &head);
        begins_family(head, &head);
        const struct family *family = kernel_family_of_name(head);
        if (!family)
            return fail_at(err, STEPTIME_INPUT, path, -1, "there is no family '%.*s'", (int)head.len, head.at);
        struct family_model *model = arena_alloc(arena, sizeof *model);
        model->family = family;
        models->own[number_of(family)] = model;
        if (!coefficients_read(part, first, path, models->catalogue, arena, model, err))
            return false;
        families++;
    }
    return families || fail_at(err, STEPTIME_INPUT, path, -1, "not a file of models: no line 'family NAME'");
}

static struct models *load(str path, struct arena *arena, struct steptime_error *err)
{
    struct buf text = {0};
    struct models *models = models_writable(arena);
    const bool fine = read_all(str_z(arena, path), &text, err) &&
                      read_families(models, str_copy(arena, buf_str(&text)), path, arena, err);
    buf_free(&text);
    return fine ? models : NULL;
}

const struct models *models_load(str path, struct arena *arena, struct steptime_error *err)
{
    return load(path, arena, err);
}

/* ---- calibrated sets ---- */

struct group_model *models_group(struct family_model *model, str name, struct arena *arena)
{
    for (uint32_t i = 0; i < model->group_count; i++)
        if (str_eq(model->groups[i].group, name))
            return &model->groups[i];
    struct group_model *groups = arena_array(arena, model->group_count + 1, sizeof *groups);
    if (model->group_count)
        memcpy(groups, model->groups, model->group_count * sizeof *groups);
    model->groups = groups;
    groups[model->group_count] = (struct group_model){.group = name, .note = S("")};
    return &groups[model->group_count++];
}

static void add_sets(struct group_model *to, const struct group_model *from, struct arena *arena)
{
    const uint32_t most = to->calibrated_count + from->calibrated_count;
    struct coefficient_set *sets = arena_array(arena, most, sizeof *sets);
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->calibrated_count; i++)
        sets[count++] = from->calibrated[i];
    for (uint32_t i = 0; i < to->calibrated_count; i++) {
        uint32_t at = 0;
        while (at < from->calibrated_count && !str_eq(sets[at].device, to->calibrated[i].device))
            at++;
        if (at == from->calibrated_count)
            sets[count++] = to->calibrated[i];
    }
    to->calibrated = sets;
    to->calibrated_count = count;
}

static bool has_calibrated(const struct family_model *model)
{
    for (uint32_t i = 0; i < model->group_count; i++)
        if (model->groups[i].calibrated_count)
            return true;
    return false;
}

static void add_family(struct models *models, const struct family_model *from, struct arena *arena)
{
    struct family_model *to = has_calibrated(from) ? models_make_own(models, from->family, arena) : NULL;
    for (uint32_t i = 0; to && i < from->group_count; i++)
        if (from->groups[i].calibrated_count)
            add_sets(models_group(to, from->groups[i].group, arena), &from->groups[i], arena);
}

bool models_add_calibrated(struct models *models, str path, struct arena *arena, struct steptime_error *err)
{
    const struct models *added = load(path, arena, err);
    for (uint32_t i = 0; added && i < family_count; i++)
        if (added->own[i])
            add_family(models, added->own[i], arena);
    return added != NULL;
}
