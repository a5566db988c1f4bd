/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of source/known as they are, so that people see what is believed of their framework, and tests can hold
 * it against the real packages. */
#include "frameworks_table.h"

#include "source/known/frameworks.h"
#include "source/known/known.h"

/* ---- methods that a framework calls ---- */

static const char *often(enum pace pace)
{
    switch (pace) {
    case PACE_STEP:
        return "each step";
    case PACE_EVALUATION:
        return "each evaluation step";
    case PACE_EPOCH:
        return "each epoch";
    case PACE_ONCE:
        return "seldom";
    case PACE_UNKNOWN:
        break;
    }
    return "";
}

static void show_methods(struct table *table, str classes, const struct contract *contract)
{
    str first;
    str_cut(&classes, ' ', &first);
    for (str rest = str_of(contract->methods), method; str_cut(&rest, ' ', &method);) {
        table_row(table);
        table_text(table, first);
        table_text(table, classes);
        table_text(table, method);
        table_text(table, str_of(often(contract->pace)));
        table_text(table, str_of(contract->given));
        table_text(table, str_of(contract->because ? contract->because : ""));
        table_text(table, str_of(contract->option ? contract->option : ""));
    }
}

static const struct column_spec contract_columns[] = {
    {"class", "class", UNIT_NONE, 0, "the class whose subclasses, or objects, it is about"},
    {"also", "also", UNIT_NONE, COLUMN_DETAIL, "other classes of which the same holds"},
    {"method", "method", UNIT_NONE, 0, "the method, hook or event that the framework runs"},
    {"often", "often", UNIT_NONE, 0,
     "how often: each step, each evaluation step, each epoch, seldom (once an epoch, a run, a log)"},
    {"given", "given", UNIT_NONE, COLUMN_WIDE,
     "parameters, each with what it is: batch, tensor, scalar, parts and model lie on the device, host on the host, "
     "numbers are floats of Python"},
    {"waits", "waits", UNIT_NONE, COLUMN_DETAIL,
     "the wait that the framework makes right there: a read beside it costs nothing more"},
    {"option", "option", UNIT_NONE, COLUMN_DETAIL, "the option on which that wait depends"},
    {0},
};

static void show_contracts(struct section *section)
{
    struct table *table = section_table(section, "frameworks", "Methods that a framework runs");
    table_columns(table, contract_columns);
    for (size_t i = 0; frameworks_at(i); i++)
        for (size_t k = 0; k < FRAMEWORK_TABLES && frameworks_at(i)->contracts[k]; k++)
            for (const struct contract *at = frameworks_at(i)->contracts[k]; at->methods; at++)
                show_methods(table, str_of(frameworks_at(i)->bases), at);
}

/* ---- what its calls give ---- */

static const char *kind_word(const struct known *known)
{
    switch ((enum special)known->special) {
    case SPECIAL_PREPARE:
        return "its arguments, moved";
    case SPECIAL_SAME:
        return "its argument";
    case SPECIAL_NUMPY:
        return "an array, read back";
    case SPECIAL_ENGINE:
    case SPECIAL_OBJECT:
    case SPECIAL_TRAINER:
        return "an object of the framework";
    default:
        return known->kind == VALUE_TENSOR ? "a tensor" : known->kind == VALUE_NONE ? "nothing" : "";
    }
}

static const char *place_word(const struct known *known)
{
    switch ((enum known_device)known->device) {
    case ON_GPU:
        return "device";
    case ON_CPU:
        return "host";
    case ON_OPTION:
    case ON_SECOND:
        return "as told";
    case ON_ARGS:
    case ON_LIKE:
        return "as its arguments";
    case ON_NONE:
        break;
    }
    return "";
}

static const struct column_spec call_columns[] = {
    {"names", "names", UNIT_NONE, COLUMN_WIDE, "functions, classes and methods by their qualified names"},
    {"gives", "gives", UNIT_NONE, 0, "what comes back"},
    {"place", "place", UNIT_NONE, 0, "where that lies, or what it is given is put"},
    {0},
};

static void show_calls(struct section *section)
{
    struct table *table = section_table(section, "framework_calls", "What their calls give");
    table_columns(table, call_columns);
    for (size_t i = 0; i < known_framework_count; i++) {
        table_row(table);
        table_text(table, str_of(known_frameworks[i].names));
        table_text(table, str_of(kind_word(&known_frameworks[i].known)));
        table_text(table, str_of(place_word(&known_frameworks[i].known)));
    }
}

void frameworks_show(struct report *report)
{
    struct section *section = report_section(report, "frameworks", "Frameworks");
    show_contracts(section);
    show_calls(section);
}
