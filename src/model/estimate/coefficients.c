/* SPDX-License-Identifier: Apache-2.0 */
#include "coefficients.h"

#include "base/error.h"
#include "base/real.h"
#include "io/writer.h"

/* No file of ours comes near; beyond it a file is none. */
enum { MOST_SETS = 256, MOST_VENDORS = 16, MOST_HELD = 64, MOST_CALIBRATED = 64, MOST_GROUPS = 64, MOST_SOURCES = 64 };

static const char *const carry_words[CARRIES] = {"pooled", "nearest", "vendor", "generations", "nearest_generation"};
static const char *const residual_words[RESIDUALS] = {"none", "own", "generation"};

str carry_word(enum carry carry)
{
    return str_of(carry_words[carry]);
}

str residual_word(enum residual residual)
{
    return str_of(residual_words[residual]);
}

/* A file as it is read. */
struct reading {
    struct arena *arena;
    str path;
    uint32_t line;
    const struct catalogue *catalogue;
    struct family_model *model;
    struct group_model *group;   /* the last one begun; NULL */
    struct coefficient_set *set; /* the last one begun; NULL */
    uint32_t given;              /* bits: coefficients of the set that were read */
    bool late;                   /* residuals are read when they are asked for */
    struct steptime_error *err;
};

static bool refuse(const struct reading *reading, str word, const char *what)
{
    return fail_at(reading->err, STEPTIME_INPUT, reading->path, -1, "line %u: %.*s %s", reading->line, (int)word.len,
                   word.at, what);
}

/* ---- values ---- */

static bool read_share(const struct reading *reading, str word, str value, double *share)
{
    return (real_read(value, share) && *share >= 0) || refuse(reading, word, "is no number from 0 on");
}

static bool read_choice(const struct reading *reading, str word, str value, const char *const *words, int count,
                        int *choice)
{
    for (*choice = 0; *choice < count; ++*choice)
        if (str_eq(value, str_of(words[*choice])))
            return true;
    return refuse(reading, word, "has a value of no meaning here");
}

/* ---- lines ---- */

/* A set must hold every coefficient of the family. */
static bool end_set(struct reading *reading)
{
    if (!reading->set)
        return true;
    const struct family *family = reading->model->family;
    for (uint32_t i = 0; i < family->parameter_count; i++)
        if (!(reading->given >> i & 1))
            return refuse(reading, str_of(family->parameters[i].name), "is missing in the set before");
    if (reading->set->calibrated)
        calibrated_close(reading->set->calibrated, reading->arena);
    reading->set = NULL;
    return true;
}

static bool read_family(struct reading *reading, str word, str value)
{
    const bool known = reading->model->family && str_eq(value, str_of(reading->model->family->name));
    return known || refuse(reading, word, "is not the one that is read here");
}

/* What a set means may change with the program; files from before that say nothing of it are of the first. */
static const int64_t text_version = 1;

static bool read_version(struct reading *reading, str word, str value)
{
    int64_t version;
    return (str_int(value, &version) && version == text_version) ||
           refuse(reading, word, "is not 1, which this program reads: fit again with 'steptime model fit'");
}

static bool read_source(struct reading *reading, str word, str value)
{
    struct family_model *model = reading->model;
    if (model->source_count == MOST_SOURCES)
        return refuse(reading, word, "comes too often");
    model->sources[model->source_count++] = str_copy(reading->arena, value);
    return true;
}

static bool read_group(struct reading *reading, str word, str value)
{
    struct family_model *model = reading->model;
    if (!end_set(reading))
        return false;
    if (model->group_count == MOST_GROUPS)
        return refuse(reading, word, "comes too often");
    reading->group = &model->groups[model->group_count++];
    reading->group->group = str_copy(reading->arena, value);
    return true;
}

static bool read_candidate(struct reading *reading, str word, str value)
{
    struct group_model *group = reading->group;
    str name;
    struct candidate candidate = {0};
    if (group->candidate_count == MOST_CANDIDATES)
        return refuse(reading, word, "comes too often");
    if (!str_cut(&value, ' ', &name) || !read_share(reading, word, value, &candidate.error))
        return refuse(reading, word, "is a name and an error");
    candidate.name = str_copy(reading->arena, name);
    group->candidates[group->candidate_count++] = candidate;
    return true;
}

/* Room for sets doubles: files hold a few, not the most that are taken. */
static void begin_set(struct reading *reading, struct coefficient_set **sets, uint32_t *count, str device)
{
    if (!(*count & (*count - 1))) {
        struct coefficient_set *wider = arena_array(reading->arena, *count ? 2 * *count : 1, sizeof *wider);
        if (*count)
            memcpy(wider, *sets, *count * sizeof *wider);
        *sets = wider;
    }
    reading->set = &(*sets)[(*count)++];
    reading->given = 0;
    reading->set->device = str_copy(reading->arena, device);
}

/* One of the user's own is found by its name alone. */
static void find_device(struct reading *reading)
{
    const struct hardware *hardware =
        catalogue_gpu(reading->catalogue, reading->set->device, (struct gpu_signs){-1, -1});
    if (hardware)
        reading->set->hardware = *hardware;
}

static bool read_set(struct reading *reading, str word, str value)
{
    if (!end_set(reading))
        return false;
    struct group_model *group = reading->group;
    if (group->set_count == MOST_SETS)
        return refuse(reading, word, "comes too often");
    if ((group->set_count == 0) != str_eq(value, S("*")))
        return refuse(reading, word, "* comes once, before those of the devices");
    begin_set(reading, &group->sets, &group->set_count, value);
    if (group->set_count > 1)
        find_device(reading);
    return true;
}

static bool read_held(struct reading *reading, str word, str value)
{
    if (!end_set(reading))
        return false;
    struct group_model *group = reading->group;
    if (group->held_count == MOST_HELD)
        return refuse(reading, word, "comes too often");
    begin_set(reading, &group->held, &group->held_count, value);
    find_device(reading);
    return true;
}

static bool read_vendor(struct reading *reading, str word, str value)
{
    if (!end_set(reading))
        return false;
    struct group_model *group = reading->group;
    if (group->vendor_count == MOST_VENDORS)
        return refuse(reading, word, "comes too often");
    begin_set(reading, &group->vendors, &group->vendor_count, value);
    return true;
}

static bool read_calibrated(struct reading *reading, str word, str value)
{
    if (!end_set(reading))
        return false;
    struct group_model *group = reading->group;
    if (group->calibrated_count == MOST_CALIBRATED)
        return refuse(reading, word, "comes too often");
    begin_set(reading, &group->calibrated, &group->calibrated_count, value);
    reading->set->calibrated = calibrated_new(reading->arena);
    find_device(reading);
    return true;
}

/* Lines of a calibrated set. */
static bool read_of_rows(struct reading *reading, str word, bool good, const char *problem)
{
    return good || refuse(reading, word, problem);
}

static bool read_made(struct reading *reading, str word, str value)
{
    (void)word;
    reading->set->calibrated->made = str_copy(reading->arena, value);
    return true;
}

static bool read_near(struct reading *reading, str word, str value)
{
    const char *problem = "";
    return read_of_rows(reading, word, calibrated_read_near(reading->set->calibrated, value, &problem), problem);
}

static bool read_point(struct reading *reading, str word, str value)
{
    const char *problem = "";
    return read_of_rows(reading, word, calibrated_read_point(reading->set->calibrated, value, &problem), problem);
}

static bool read_direction(struct reading *reading, str word, str value)
{
    const char *problem = "";
    const struct family *family = reading->model->family;
    return read_of_rows(reading, word, calibrated_read_direction(reading->set->calibrated, family, value, &problem),
                        problem);
}

static bool read_rows(struct reading *reading, str word, str value)
{
    int64_t rows;
    if (!str_int(value, &rows) || rows < 0 || rows > UINT32_MAX)
        return refuse(reading, word, "is no count");
    reading->set->rows = (uint32_t)rows;
    return true;
}

static bool read_tree(struct reading *reading, str word, str value)
{
    const char *problem;
    if (!reading->set->residual)
        reading->set->residual = trees_new(reading->model->family->feature_count, reading->arena);
    if (!reading->late)
        return trees_add_line(reading->set->residual, value, reading->arena, &problem) ||
               refuse(reading, word, problem);
    trees_add_late(reading->set->residual, value, reading->arena);
    return true;
}

/* A value, and behind it how well it is known, where that was told. */
static bool read_value(struct reading *reading, str word, str text, const struct parameter *parameter, double *value,
                       double *width)
{
    str number = S("");
    const bool alone = !str_cut(&text, ' ', &number) || !text.len;
    if (!real_read(number, value) || *value < parameter->low || *value > parameter->high)
        return refuse(reading, word, "is no number in the range that the family gives");
    *width = 0;
    return alone || (real_read(str_trim(text), width) && *width >= 0 && *width < 100) ||
           refuse(reading, word, "has a width that is none");
}

/* A word that is no other is a coefficient. */
static bool read_coefficient(struct reading *reading, str word, str value)
{
    const struct family *family = reading->model->family;
    for (uint32_t i = 0; i < family->parameter_count; i++) {
        const struct parameter *parameter = &family->parameters[i];
        if (!str_eq(word, str_of(parameter->name)))
            continue;
        if (!read_value(reading, word, value, parameter, &reading->set->value[i], &reading->set->width[i]))
            return false;
        reading->given |= 1u << i;
        return true;
    }
    return refuse(reading, word, "is no coefficient of this family");
}

/* ---- the table of words ---- */

enum place { ANYWHERE, IN_GROUP, IN_SET, IN_CALIBRATED };

static bool read_carry(struct reading *reading, str word, str value)
{
    int choice;
    if (!read_choice(reading, word, value, carry_words, CARRIES, &choice))
        return false;
    reading->group->carry = (enum carry)choice;
    return true;
}

static bool read_residual(struct reading *reading, str word, str value)
{
    int choice;
    if (!read_choice(reading, word, value, residual_words, RESIDUALS, &choice))
        return false;
    reading->group->residual = (enum residual)choice;
    return true;
}

static bool read_note(struct reading *reading, str word, str value)
{
    (void)word;
    reading->group->note = str_copy(reading->arena, value);
    return true;
}

static bool read_error(struct reading *reading, str word, str value)
{
    return read_share(reading, word, value, &reading->set->error);
}

static bool read_shared(struct reading *reading, str word, str value)
{
    return read_share(reading, word, value, &reading->set->shared);
}

static bool read_spread(struct reading *reading, str word, str value)
{
    return read_share(reading, word, value, &reading->set->spread);
}

static bool read_hosts(struct reading *reading, str word, str value)
{
    return read_share(reading, word, value, &reading->set->host);
}

static bool read_factor(struct reading *reading, str word, str value)
{
    if (!read_share(reading, word, value, &reading->set->factor))
        return false;
    const double most = 20;
    return (reading->set->factor > 1 / most && reading->set->factor < most) ||
           refuse(reading, word, "is out of reason");
}

static const struct {
    const char *word;
    enum place place;
    bool (*read)(struct reading *reading, str word, str value);
} lines[] = {
    {"family", ANYWHERE, read_family},     {"source", ANYWHERE, read_source},
    {"group", ANYWHERE, read_group},       {"carry", IN_GROUP, read_carry},
    {"residual", IN_GROUP, read_residual}, {"candidate", IN_GROUP, read_candidate},
    {"note", IN_GROUP, read_note},         {"set", IN_GROUP, read_set},
    {"rows", IN_SET, read_rows},           {"error", IN_SET, read_error},
    {"factor", IN_SET, read_factor},       {"tree", IN_SET, read_tree},
    {"vendor", IN_GROUP, read_vendor},     {"shared", IN_SET, read_shared},
    {"spread", IN_SET, read_spread},       {"hosts", IN_SET, read_hosts},
    {"version", ANYWHERE, read_version},   {"calibrated", IN_GROUP, read_calibrated},
    {"made", IN_CALIBRATED, read_made},    {"near", IN_CALIBRATED, read_near},
    {"point", IN_CALIBRATED, read_point},  {"direction", IN_CALIBRATED, read_direction},
    {"held", IN_GROUP, read_held},
};
enum { LINES = sizeof lines / sizeof *lines };

static bool read_line(struct reading *reading, str line)
{
    str word;
    if (!str_cut(&line, ' ', &word))
        return true;
    const str value = str_trim(line);
    for (int i = 0; i < LINES; i++) {
        if (!str_eq(word, str_of(lines[i].word)))
            continue;
        const bool in_set = lines[i].place >= IN_SET, in_calibrated = lines[i].place == IN_CALIBRATED;
        if ((lines[i].place != ANYWHERE && !reading->group) || (in_set && !reading->set) ||
            (in_calibrated && !reading->set->calibrated))
            return refuse(reading, word, "stands before what it belongs to");
        return lines[i].read(reading, word, value);
    }
    return reading->set ? read_coefficient(reading, word, value) : refuse(reading, word, "is no word of such a file");
}

static bool read_lines(struct reading *reading, str text)
{
    struct family_model *model = reading->model;
    model->sources = arena_array(reading->arena, MOST_SOURCES, sizeof *model->sources);
    model->groups = arena_array(reading->arena, MOST_GROUPS, sizeof *model->groups);
    for (str words; str_cut(&text, '\n', &words);) {
        reading->line++;
        words = str_trim(words);
        if (words.len && words.at[0] != '#' && !read_line(reading, words))
            return false;
    }
    coefficients_settle(model);
    return end_set(reading);
}

bool coefficients_read(str text, uint32_t line, str path, const struct catalogue *catalogue, struct arena *arena,
                       struct family_model *model, struct steptime_error *err)
{
    return read_lines(
        &(struct reading){
            .arena = arena, .path = path, .line = line - 1, .catalogue = catalogue, .model = model, .err = err},
        text);
}

bool coefficients_read_late(str text, const struct catalogue *catalogue, struct arena *arena,
                            struct family_model *model)
{
    return read_lines(&(struct reading){.arena = arena, .catalogue = catalogue, .model = model, .late = true}, text);
}

/* ---- writing ---- */

static void put(struct writer *out, const char *word, str value)
{
    writer_printf(out, "%s %.*s\n", word, (int)value.len, value.at);
}

static void write_value(const char *name, double value, double width, struct writer *out)
{
    if (width > 0)
        writer_printf(out, "%s %.6g %.3g\n", name, value, width);
    else
        writer_printf(out, "%s %.6g\n", name, value);
}

static void write_set(const struct family *family, const char *word, const struct coefficient_set *set,
                      struct writer *out)
{
    put(out, word, set->device);
    writer_printf(out, "rows %u\nerror %.4f\n", set->rows, set->error);
    if (set->shared > 0 || set->spread > 0)
        writer_printf(out, "shared %.4f\nspread %.4f\n", set->shared, set->spread);
    if (set->host > 0)
        writer_printf(out, "hosts %.4f\n", set->host);
    if (set->factor > 0)
        writer_printf(out, "factor %.6g\n", set->factor);
    for (uint32_t i = 0; i < family->parameter_count; i++)
        write_value(family->parameters[i].name, set->value[i], set->width[i], out);
    if (set->calibrated)
        calibrated_write(set->calibrated, family, out);
    if (set->residual)
        trees_write(set->residual, out);
}

static void write_group(const struct family *family, const struct group_model *group, struct writer *out)
{
    put(out, "group", group->group);
    put(out, "carry", carry_word(group->carry));
    put(out, "residual", residual_word(group->residual));
    for (uint32_t i = 0; i < group->candidate_count; i++)
        writer_printf(out, "candidate %.*s %.4f\n", (int)group->candidates[i].name.len, group->candidates[i].name.at,
                      group->candidates[i].error);
    if (group->note.len)
        put(out, "note", group->note);
    for (uint32_t i = 0; i < group->set_count; i++)
        write_set(family, "set", &group->sets[i], out);
    for (uint32_t i = 0; i < group->vendor_count; i++)
        write_set(family, "vendor", &group->vendors[i], out);
    for (uint32_t i = 0; i < group->held_count; i++)
        write_set(family, "held", &group->held[i], out);
    for (uint32_t i = 0; i < group->calibrated_count; i++)
        write_set(family, "calibrated", &group->calibrated[i], out);
}

void coefficients_write(const struct family_model *model, struct writer *out)
{
    put(out, "family", str_of(model->family->name));
    writer_printf(out, "version %lld\n", (long long)text_version);
    for (uint32_t i = 0; i < model->source_count; i++)
        put(out, "source", model->sources[i]);
    for (uint32_t i = 0; i < model->group_count; i++)
        write_group(model->family, &model->groups[i], out);
}
