/* SPDX-License-Identifier: Apache-2.0 */
#include "models.h"

#include "base/buf.h"
#include "base/error.h"
#include "io/source.h"
#include "model/families/families.h"

enum { BLOCK_BYTES = 1 << 16, MOST_FILE_BYTES = 1 << 26 };

/* ---- making ---- */

struct family_model *models_family(const struct models *models, const struct family *family)
{
    for (uint32_t i = 0; i < family_count; i++)
        if (family_rows[i].family == family)
            return &models->families[i];
    return NULL;
}

/* What is built in was checked by a test; a family whose text is damaged nevertheless stands as never fitted. */
struct models *models_copy_built_in(struct arena *arena)
{
    struct models *models = arena_alloc(arena, sizeof *models);
    models->catalogue = catalogue_built_in();
    models->families = arena_array(arena, family_count, sizeof *models->families);
    for (uint32_t i = 0; i < family_count; i++) {
        const struct family_model empty = {.family = family_rows[i].family};
        const str text = {family_rows[i].text, *family_rows[i].text_bytes};
        models->families[i] = empty;
        if (!coefficients_read(text, 1, S("built in"), models->catalogue, arena, &models->families[i], NULL))
            models->families[i] = empty;
    }
    return models;
}

const struct models *models_new(struct arena *arena)
{
    return models_copy_built_in(arena);
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
        struct family_model *model = models_family(models, family);
        *model = (struct family_model){.family = family};
        if (!coefficients_read(part, first, path, models->catalogue, arena, model, err))
            return false;
        families++;
    }
    return families || fail_at(err, STEPTIME_INPUT, path, -1, "not a file of models: no line 'family NAME'");
}

const struct models *models_load(str path, struct arena *arena, struct steptime_error *err)
{
    struct buf text = {0};
    struct models *models = models_copy_built_in(arena);
    const bool fine = read_all(str_z(arena, path), &text, err) &&
                      read_families(models, str_copy(arena, buf_str(&text)), path, arena, err);
    buf_free(&text);
    return fine ? models : NULL;
}
