/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "cli/program/hardware_option.h"
#include "model/families/families.h"
#include "model_command.h"
#include "cli/program/output.h"

bool hardware_of_call(const struct call *call, struct arena *arena, struct hardware *room,
                      const struct hardware **hardware, struct steptime_error *err)
{
    const char *name = call_text(call, "hw");
    *hardware = NULL;
    if (!name)
        return true;
    *hardware = room;
    return hardware_of_words(call, str_of(name), arena, room, err);
}

/* ---- groups ---- */

static const struct column_spec carried_columns[] = {
    {"family", "family", UNIT_NONE, 0, "family of kernel models"},
    {"group", "group", UNIT_NONE, 0, "kernels that share coefficients"},
    {"devices", "devices measured", UNIT_COUNT, 0, "devices that it was fitted on"},
    {"residual", "residual of those", UNIT_NONE, 0, "the learner that corrects the form on these devices"},
    {"own_error", "their error", UNIT_RATIO, 0, "mean absolute error on their own rows in cross-validation"},
    {"carry", "to others", UNIT_NONE, 0, "how coefficients are carried to a device that was not measured"},
    {"carried_error", "error, a device left out", UNIT_RATIO, 0, "mean absolute error on a device left out of the fit"},
    {0},
};

static void group_columns(struct table *table)
{
    table_columns(table, carried_columns);
}

static double own_error(const struct group_model *group)
{
    double sum = 0;
    for (uint32_t i = 1; i < group->set_count; i++)
        sum += group->sets[i].error / (group->set_count - 1);
    return sum;
}

static void group_row(struct table *table, const struct family *family, const struct group_model *group)
{
    table_row(table);
    table_text(table, str_of(family->name));
    table_text(table, group->group);
    table_int(table, group->set_count ? group->set_count - 1 : 0);
    table_text(table, residual_word(group->residual));
    table_real(table, own_error(group));
    table_text(table, carry_word(group->carry));
    table_cell(table, group->set_count > 2 ? cell_real(group->sets[0].error) : cell_null());
}

/* A family without groups: its analytic form, never fitted. */
static void analytic_row(struct table *table, const struct family *family)
{
    table_row(table);
    table_text(table, str_of(family->name));
    table_text(table, S("(analytic)"));
    table_int(table, 0);
    for (int i = 0; i < 4; i++)
        table_null(table);
}

static void show_groups(const struct models *models, const struct family *only, struct report *report)
{
    struct section *section = report_section(report, "groups", "Models");
    struct table *table = section_table(section, "groups", "");
    group_columns(table);
    for (uint32_t i = 0; i < family_count; i++) {
        if (only && family_rows[i].family != only)
            continue;
        const struct family_model *model = models_family(models, family_rows[i].family);
        for (uint32_t g = 0; g < model->group_count; g++)
            group_row(table, model->family, &model->groups[g]);
        if (!model->group_count)
            analytic_row(table, model->family);
    }
}

/* ---- one family ---- */

static const struct column_spec candidates_columns[] = {
    {"group", "group", UNIT_NONE, 0, "kernels that share coefficients"},
    {"candidate", "candidate", UNIT_NONE, 0, "a form that was tried"},
    {"error", "error", UNIT_RATIO, 0, "its mean absolute error in cross-validation"},
    {0},
};

static void show_candidates(const struct family_model *model, struct report *report)
{
    struct section *section = report_section(report, "candidates", "What was tried");
    section_text(section,
                 S("Errors in cross-validation. pooled, nearest, vendor: a whole device was left out, and the others "
                   "together, the one most like it, or those of its vendor predict it. vendor+launch: with one row "
                   "of it for each launch figure of its host. own: a measured device by its own coefficients, and "
                   "with a residual learned on other rows of it. The least of what carries is used for devices that "
                   "were not measured."));
    struct table *table = section_table(section, "candidates", "");
    table_columns(table, candidates_columns);
    for (uint32_t g = 0; g < model->group_count; g++)
        for (uint32_t i = 0; i < model->groups[g].candidate_count; i++) {
            table_row(table);
            table_text(table, model->groups[g].group);
            table_text(table, model->groups[g].candidates[i].name);
            table_real(table, model->groups[g].candidates[i].error);
        }
}

static void coefficient_row(struct table *table, const struct family_model *model, const struct group_model *group,
                            const struct coefficient_set *set, uint32_t i)
{
    const struct parameter *parameter = &model->family->parameters[i];
    table_row(table);
    table_text(table, group->group);
    table_text(table, set->device);
    table_text(table, str_of(parameter->name));
    table_real(table, set->value[i]);
    table_text(table, str_of(parameter->meaning));
}

static void set_rows(struct table *table, const struct family_model *model, const struct group_model *group,
                     const struct coefficient_set *set)
{
    for (uint32_t i = 0; i < model->family->parameter_count; i++)
        coefficient_row(table, model, group, set, i);
}

static const struct column_spec coefficients_columns[] = {
    {"group", "group", UNIT_NONE, 0, "kernels that share coefficients"},
    {"device", "device", UNIT_NONE, COLUMN_WIDE, "device of the coefficients"},
    {"coefficient", "coefficient", UNIT_NONE, 0, "name of the coefficient"},
    {"value", "value", UNIT_NONE, 0, "its fitted value"},
    {"meaning", "meaning", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "what it stands for"},
    {0},
};

static void show_coefficients(const struct family_model *model, struct report *report)
{
    struct section *section = report_section(report, "coefficients", "Coefficients");
    struct table *table = section_table(section, "coefficients", "");
    table_columns(table, coefficients_columns);
    for (uint32_t g = 0; g < model->group_count; g++) {
        const struct group_model *group = &model->groups[g];
        for (uint32_t i = 0; i < group->set_count; i++)
            set_rows(table, model, group, &group->sets[i]);
        for (uint32_t i = 0; i < group->vendor_count; i++)
            set_rows(table, model, group, &group->vendors[i]);
        for (uint32_t i = 0; i < group->held_count; i++)
            set_rows(table, model, group, &group->held[i]);
    }
}

static void show_family(const struct family_model *model, struct report *report)
{
    struct section *section = report_section(report, "family", model->family->name);
    section_text(section, str_of(model->family->about));
    for (uint32_t i = 0; i < model->source_count; i++)
        section_text(section, str_printf(report_arena(report), "Fitted on %.*s.", (int)model->sources[i].len,
                                         model->sources[i].at));
    for (uint32_t i = 0; i < model->group_count; i++)
        if (model->groups[i].note.len)
            section_text(section, model->groups[i].note);
    show_candidates(model, report);
    show_coefficients(model, report);
}

/* ---- the verb ---- */

static bool family_of_call(const struct call *call, const struct family **family, struct steptime_error *err)
{
    *family = NULL;
    if (call_argument_count(call) < 2)
        return true;
    if (call_argument_count(call) > 2)
        return fail(err, STEPTIME_USAGE, "one family at a time");
    *family = kernel_family_of_name(str_of(call_argument(call, 1)));
    return *family || fail(err, STEPTIME_USAGE, "there is no family '%s'; 'steptime model show' lists them",
                           call_argument(call, 1));
}

bool model_show(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    struct report *report = report_new(&arena, S("model"));
    const struct family *family;
    const struct models *models = models_of_call(call, &arena, err);
    bool good = models && family_of_call(call, &family, err);
    if (good)
        show_groups(models, family, report);
    if (good && family)
        show_family(models_family(models, family), report);
    good = good && output_report(call, report, err);
    arena_free(&arena);
    return good;
}
