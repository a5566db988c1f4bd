/* SPDX-License-Identifier: Apache-2.0 */
#include "models.h"

#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "io/source.h"
#include "model/families/families.h"

enum { BLOCK_BYTES = 1 << 16, MOST_FILE_BYTES = 1 << 26 };

/* How far a learned residual may move an analytic time: a factor of two either way. */
static const double most_residual = 0.7;

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

/* ---- estimating ---- */

static double set_analytic_us(const struct family *family, const struct coefficient_set *set,
                              const struct hardware *hardware, const struct kernel *kernel)
{
    return family->us(kernel, hardware, set->value) * set_factor(set);
}

/* Residuals are learned on lone kernels, so a kernel is described as one. */
double set_us(const struct family *family, const struct coefficient_set *set, const struct hardware *hardware,
              const struct kernel *kernel, bool residual)
{
    const double us = set_analytic_us(family, set, hardware, kernel);
    if (!residual || !set->residual || (family->like_measured && !family->like_measured(kernel)))
        return us;
    struct kernel alone = *kernel;
    double features[FAMILY_FEATURES];
    alone.alone = true;
    family->describe(&alone, hardware, set->value, features);
    return us * exp(fmin(most_residual, fmax(-most_residual, trees_eval(set->residual, features))));
}

static bool has_figures(const struct family *family, const struct hardware *hardware, const struct kernel *kernel,
                        struct steptime_error *err)
{
    const uint32_t needs = family->needs | (family->also_needs ? family->also_needs(kernel, hardware) : 0);
    for (int key = 0; key < HW_KEYS; key++) {
        if (!(needs >> key & 1) || hardware->figure[key] > 0)
            continue;
        const str name = hardware->name, word = hw_key_word((enum hw_key)key);
        return fail(err, STEPTIME_INPUT, "%.*s lacks the figure %.*s, which %s kernels need", (int)name.len, name.at,
                    (int)word.len, word.at, family->name);
    }
    return true;
}

/* Of a family that was never fitted. */
static struct coefficient_set starting_set(const struct family *family)
{
    struct coefficient_set set = {.device = S("*")};
    for (uint32_t i = 0; i < family->parameter_count; i++)
        set.value[i] = family->parameters[i].start;
    return set;
}

bool models_estimate(const struct models *models, const struct hardware *hardware, const struct kernel *kernel,
                     struct estimate *estimate, struct steptime_error *err)
{
    const char *problem = kernel_check(kernel);
    if (problem)
        return fail(err, STEPTIME_INPUT, "%s", problem);
    const struct family *family = family_of_kernel(kernel);
    if (!family)
        return fail(err, STEPTIME_INPUT, "no model has kernels of this form");
    if (!has_figures(family, hardware, kernel, err))
        return false;
    const struct group_model *group = coefficients_group(models_family(models, family), family_group(family, kernel));
    enum kinship kinship = KINSHIP_NONE;
    const struct coefficient_set *set = group ? coefficients_for(group, hardware, &kinship) : NULL;
    const bool measured = kinship == KINSHIP_SELF;
    const struct coefficient_set start = set ? (struct coefficient_set){0} : starting_set(family);
    *estimate = (struct estimate){
        .us = set_us(family, set ? set : &start, hardware, kernel, measured),
        .basis = measured                     ? BASIS_MEASURED
                 : set                        ? BASIS_CARRIED
                 : kernel->form == FORM_BYTES ? BASIS_BYTES
                                              : BASIS_ANALYTIC,
        .error = measured ? set->error
                 : set    ? group->sets[0].error
                          : 0,
        .model = group ? group->group : str_of(family->name),
    };
    return true;
}

str estimate_basis_word(enum estimate_basis basis)
{
    static const char *const words[] = {"measured", "carried", "analytic", "bytes"};
    return str_of(words[basis]);
}
