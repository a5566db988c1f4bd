/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"

#include "base/error.h"
#include "base/mem.h"
#include "build.h"

enum { MOST_OPERATORS = 4 << 20 }; /* of a step: a repeat in a damaged list must not fill the memory */

/* ---- from the words of lists to operators ---- */

enum form {
    FORM_OF_LINEAR, /* rows, sum, cols */
    FORM_OF_BMM,    /* batch, rows, sum, cols */
    FORM_OF_TWO,    /* rows, cols of two operands */
    FORM_OF_ONE,    /* rows, cols, and numbers */
    FORM_OF_COPY,   /* tensors, of which the last is written */
};

static const struct {
    const char *word, *name;
    enum form form;
} words[] = {
    {"linear", "aten::linear", FORM_OF_LINEAR}, {"bmm", "aten::bmm", FORM_OF_BMM},
    {"add", "aten::add", FORM_OF_TWO},          {"addu", "aten::add", FORM_OF_ONE},
    {"sub", "aten::sub", FORM_OF_TWO},          {"subu", "aten::sub", FORM_OF_ONE},
    {"mul", "aten::mul", FORM_OF_TWO},          {"mulu", "aten::mul", FORM_OF_ONE},
    {"div", "aten::div", FORM_OF_TWO},          {"divu", "aten::div", FORM_OF_ONE},
    {"pow", "aten::pow", FORM_OF_TWO},          {"powu", "aten::pow", FORM_OF_ONE},
    {"relu", "aten::relu", FORM_OF_ONE},        {"gelu", "aten::gelu", FORM_OF_ONE},
    {"tanh", "aten::tanh", FORM_OF_ONE},        {"softmax", "aten::_softmax", FORM_OF_ONE},
    {"ln", "aten::layer_norm", FORM_OF_ONE},    {"copy", "aten::copy_", FORM_OF_COPY},
};

/* A row as it will be in the program. */
struct listed {
    str name, dims, types;
    int64_t line, repeat;
    enum phase phase;
};

static bool sized(const struct list_row *row, uint32_t sizes, struct steptime_error *err)
{
    return row->sizes == sizes || fail(err, STEPTIME_INPUT, "line %u: %.*s has %u sizes; %u are wanted", row->line,
                                       (int)row->op.len, row->op.at, row->sizes, sizes);
}

static bool arguments_of(const struct list_row *row, enum form form, struct arena *arena, struct listed *listed,
                         struct steptime_error *err)
{
    long long s[LIST_SIZES];
    for (uint32_t i = 0; i < LIST_SIZES; i++)
        s[i] = row->size[i];
    listed->types = S("[\"float\", \"float\"]");
    switch (form) {
    case FORM_OF_LINEAR:
        listed->dims = str_printf(arena, "[[%lld, %lld], [%lld, %lld]]", s[0], s[1], s[2], s[1]);
        return sized(row, 3, err);
    case FORM_OF_BMM:
        listed->dims =
            str_printf(arena, "[[%lld, %lld, %lld], [%lld, %lld, %lld]]", s[0], s[1], s[2], s[0], s[2], s[3]);
        return sized(row, 4, err);
    case FORM_OF_TWO:
        listed->dims = str_printf(arena, "[[%lld, %lld], [%lld, %lld]]", s[0], s[1], s[0], s[1]);
        return sized(row, 2, err);
    case FORM_OF_ONE:
        listed->dims = str_printf(arena, "[[%lld, %lld], []]", s[0], s[1]);
        listed->types = S("[\"float\", \"Scalar\"]");
        return sized(row, 2, err);
    case FORM_OF_COPY:
        s[0] = row->elements[row->tensors - 1];
        listed->dims = str_printf(arena, "[[%lld], [%lld]]", s[0], s[0]);
        return true;
    }
    return false;
}

/* An operator of no known word keeps it, over its first tensor. */
static bool listed_of(const struct list_row *row, struct arena *arena, struct listed *listed,
                      struct steptime_error *err)
{
    *listed = (struct listed){.line = row->line,
                              .repeat = row->repeat,
                              .phase = row->phase == LIST_BACKWARD ? PHASE_BACKWARD : PHASE_FORWARD};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(row->op, str_of(words[i].word))) {
            listed->name = str_of(words[i].name);
            return arguments_of(row, words[i].form, arena, listed, err);
        }
    listed->name = str_copy(arena, row->op);
    listed->dims = str_printf(arena, "[[%lld]]", (long long)row->elements[0]);
    listed->types = S("[\"float\"]");
    return true;
}

/* ---- one step ---- */

struct listing {
    struct list_choice choice; /* complete once a row was taken */
    struct arena *arena;
    struct program_build build;
    struct listed *block; /* rows that are done equally often */
    size_t count, room;
};

static bool is_wanted(str choice, str field)
{
    return !choice.len || str_eq(choice, field);
}

static bool in_step(const struct list_choice *choice, const struct list_row *row)
{
    return is_wanted(choice->model, row->model) && is_wanted(choice->mode, row->mode) &&
           is_wanted(choice->seq, row->seq) && is_wanted(choice->batch, row->batch);
}

static void choose(struct listing *l, const struct list_row *row)
{
    l->choice = (struct list_choice){str_copy(l->arena, row->model), str_copy(l->arena, row->mode),
                                     str_copy(l->arena, row->seq), str_copy(l->arena, row->batch)};
}

static bool emit_block(struct listing *l, struct steptime_error *err)
{
    const int64_t repeat = l->count ? l->block[0].repeat : 0;
    if (l->count && repeat > (int64_t)((MOST_OPERATORS - l->build.count) / l->count))
        return fail(err, STEPTIME_INPUT, "line %lld: with %lld repeats the step has more than %d operators",
                    (long long)l->block[0].line, (long long)repeat, MOST_OPERATORS);
    for (int64_t k = 0; k < repeat; k++)
        for (size_t i = 0; i < l->count; i++) {
            const struct listed *row = &l->block[i];
            l->build.phase = (uint8_t)row->phase;
            const uint32_t op = program_build_call(&l->build, row->name, row->dims, row->types, S(""));
            l->build.ops[op].id = row->line;
        }
    l->count = 0;
    return true;
}

static bool take_row(struct listing *l, const struct list_row *row, struct steptime_error *err)
{
    struct listed listed;
    if (row->problem)
        return fail(err, STEPTIME_INPUT, "line %u: %s", row->line, row->problem);
    if (!listed_of(row, l->arena, &listed, err))
        return false;
    const bool same = l->count && l->block[0].repeat == listed.repeat && l->block[0].phase == listed.phase;
    if (!same && !emit_block(l, err))
        return false;
    l->block = mem_grow(l->block, &l->room, l->count + 1, sizeof *l->block);
    l->block[l->count++] = listed;
    return true;
}

static bool take_rows(struct listing *l, struct operator_list *list, struct steptime_error *err)
{
    bool chosen = false;
    for (struct list_row row; operator_list_next(list, &row);) {
        if (!in_step(&l->choice, &row))
            continue;
        if (!chosen)
            choose(l, &row);
        chosen = true;
        if (!take_row(l, &row, err))
            return false;
    }
    if (!chosen)
        return fail(err, STEPTIME_INPUT, "has no such step (model '%.*s', mode '%.*s', seq '%.*s', batch '%.*s')",
                    (int)l->choice.model.len, l->choice.model.at, (int)l->choice.mode.len, l->choice.mode.at,
                    (int)l->choice.seq.len, l->choice.seq.at, (int)l->choice.batch.len, l->choice.batch.at);
    return emit_block(l, err);
}

bool program_of_list(const char *path, const struct list_choice *choice, struct arena *arena, struct program *program,
                     struct steptime_error *err)
{
    struct operator_list *list = operator_list_open(path, err);
    if (!list)
        return false;
    struct listing l = {.choice = *choice, .arena = arena, .build.arena = arena};
    struct steptime_error why;
    bool good = take_rows(&l, list, &why) || fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", why.message);
    good = operator_list_close(list, good ? err : NULL) && good;
    *program = program_build_finish(&l.build, PROGRAM_LIST);
    program->path = str_copy(arena, str_of(path));
    mem_free(l.block);
    return good;
}
