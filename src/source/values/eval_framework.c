/* SPDX-License-Identifier: Apache-2.0 */
/* Training frameworks in evaluation: what they hand to methods, and what becomes of what they are handed. */
#include "eval_known.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"

/* ---- what a framework hands to the methods of those who subclass it ---- */

static const struct value *given_value(struct eval *e, enum given given)
{
    struct value out = {.detail = NONE, .device = DEVICE_GPU};
    switch (given) {
    case GIVEN_NOTHING:
        return NULL;
    case GIVEN_BATCH:
        out.kind = VALUE_BATCH;
        out.flags = VALUE_FROM_LOADER;
        break;
    case GIVEN_HOST:
        out.kind = VALUE_BATCH;
        out.flags = VALUE_FROM_LOADER;
        out.device = DEVICE_CPU;
        break;
    case GIVEN_TENSOR:
        out.kind = VALUE_TENSOR;
        break;
    case GIVEN_SCALAR:
        out.kind = VALUE_TENSOR;
        out.rank = RANK_0;
        break;
    case GIVEN_PARTS:
        out.kind = VALUE_UNKNOWN;
        break;
    case GIVEN_MODEL:
        out.kind = VALUE_MODULE;
        break;
    case GIVEN_NUMBERS:
        return values_container(e->values, VALUE_DICT, values_of_kind(e->values, VALUE_FLOAT));
    }
    return values_get(e->values, &out);
}

void eval_given_by_framework(struct eval *e)
{
    const struct function *f = &e->files->functions[eval_function_id(e)];
    const struct framework *framework = f->class_id == NONE ? NULL : e->files->classes[f->class_id].framework;
    if (!framework || program_of(e->cells, e->file_id)->host_only)
        return;
    if (framework->on_device)
        eval_fact(e, FACT_DEVICE_USED, &value_unknown);
    const struct contract *contract = frameworks_contract(framework, f->name);
    const uint32_t list = contract ? scope_parameters(e->tree, f->node) : NONE;
    uint32_t k = 0;
    for (uint32_t p = list == NONE ? NONE : syntax_first(e->tree, list); p != NONE && k < SUMMARY_PARAMETERS;
         p = syntax_next(e->tree, p)) {
        if (e->tree->kind[p] != SYN_PARAMETER || syntax_is(e->tree, syntax_first(e->tree, p), SYN_ABSENT))
            continue;
        const str name = syntax_text(e->tree, syntax_first(e->tree, p));
        const struct value *given = e->tree->op[p] ? NULL : given_value(e, frameworks_given(contract, name));
        if (given)
            eval_fact(e, cell_of_parameter(e->cells, eval_function_id(e), k), given);
        k++;
    }
}

/* super() of a class whose base is one of a framework: an object whose methods are those of the framework. */
const struct value *eval_framework_base(struct eval *e)
{
    const struct framework *framework = e->files->classes[e->self_class].framework;
    if (!framework || framework->is_module)
        return NULL;
    str bases = str_of(framework->bases), first;
    str_cut(&bases, ' ', &first);
    return values_get(e->values,
                      &(struct value){.kind = VALUE_OTHER, .detail = NONE, .name = names_get(e->names, first)});
}

const struct value *eval_held_by_framework(struct eval *e, uint32_t class_id, str member)
{
    const enum given given = frameworks_held(e->files->classes[class_id].framework, member);
    return given == GIVEN_NOTHING || program_of(e->cells, e->file_id)->host_only ? NULL : given_value(e, given);
}

/* ---- objects of frameworks ---- */

static bool is_told_of_device(struct eval *e, uint32_t call)
{
    const uint32_t node = syntax_argument(e->tree, call, NONE, "device");
    return node != NONE && eval_device_named(e, node).device == DEVICE_GPU;
}

/* Modules, and classes of modules, that it is given are put on the device. */
static void hand_over(struct eval *e, uint32_t call)
{
    const uint32_t list = syntax_child(e->tree, call, 1);
    for (uint32_t a = syntax_first(e->tree, list); a != NONE; a = syntax_next(e->tree, a)) {
        const struct value *value = eval_get(e, a);
        if (value->kind == VALUE_MODULE)
            known_moved(e, value, DEVICE_GPU, 0);
        else if (value->kind == VALUE_CLASS && value->detail != NONE && e->files->classes[value->detail].is_module)
            eval_class_on_gpu(e, value->detail);
    }
}

void eval_hand_to_framework(struct eval *e, uint32_t call, const struct framework *framework)
{
    if (!framework || program_of(e->cells, e->file_id)->host_only ||
        (!framework->on_device && !is_told_of_device(e, call)))
        return;
    eval_fact(e, FACT_DEVICE_USED, &value_unknown);
    hand_over(e, call);
}

/* Trainer(accelerator="cpu"): nothing that it is given leaves the host. What a test says holds of tests alone. */
static bool is_told_of_host(const struct known_call *c)
{
    const uint32_t node = known_keyword(c, "accelerator");
    return node != NONE && eval_get(c->e, node)->kind == VALUE_STR && eval_get(c->e, node)->device == DEVICE_CPU;
}

/* An object that moves no batches (device_placement=False) is one of the CPU. */
const struct value *known_object(const struct known_call *c)
{
    struct eval *e = c->e;
    struct value out = {.kind = VALUE_OTHER, .detail = NONE, .name = eval_get(e, syntax_first(e->tree, c->call))->name};
    if (is_told_of_host(c) && !e->file->is_test)
        eval_fact(e, FACT_HOST_ONLY, &value_unknown);
    else if (c->known->device == ON_GPU || is_told_of_device(e, c->call)) {
        eval_fact(e, FACT_DEVICE_USED, &value_unknown);
        hand_over(e, c->call);
    }
    if (syntax_is(e->tree, known_keyword(c, "device_placement"), SYN_FALSE))
        out.device = DEVICE_CPU;
    return values_get(e->values, &out);
}

/* ---- accelerator.prepare(model, optimizer, loader) ---- */

/* A thing of which nothing is known, by what it is called. */
static enum value_kind kind_called(str name)
{
    return known_word(WORDS_CALLED_LOADER, name)      ? VALUE_LOADER
           : known_word(WORDS_CALLED_OPTIMIZER, name) ? VALUE_OPTIMIZER
           : known_word(WORDS_CALLED_SCHEDULER, name) ? VALUE_SCHEDULER
           : known_word(WORDS_CALLED_MODEL, name)     ? VALUE_MODULE
                                                      : VALUE_UNKNOWN;
}

static const struct value *prepared_one(const struct known_call *c, uint32_t node, bool moves_batches)
{
    struct eval *e = c->e;
    const struct value *value = eval_get(e, node);
    const bool open = value->kind == VALUE_UNKNOWN || value->kind == VALUE_NOTHING ||
                      (value->kind == VALUE_FUNCTION && value->detail == NONE);
    if (open)
        value = eval_kind_of(e, kind_called(syntax_tail(e->tree, node)), 0);
    if (value->kind == VALUE_LOADER)
        return moves_batches ? values_on(e->values, value, DEVICE_GPU, 0, 0) : value;
    return value->kind == VALUE_MODULE || value->kind == VALUE_LOSS ? known_moved(e, value, DEVICE_GPU, 0) : value;
}

const struct value *known_prepared(const struct known_call *c)
{
    static const struct limit wide = {"prepare", "more than 32 things are prepared in one call; none of them is known"};
    static const char *const options[] = {"move_to_device", "device_placement"};
    const struct value *items[VALUE_ITEMS];
    uint32_t count = 0;
    const uint32_t callee = syntax_first(c->e->tree, c->call);
    bool moves = !value_on_cpu(eval_get(c->e, syntax_first(c->e->tree, callee)));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        moves &= !syntax_is(c->e->tree, known_keyword(c, options[i]), SYN_FALSE);
    eval_fact(c->e, FACT_DEVICE_USED, &value_unknown);
    const uint32_t list = syntax_child(c->e->tree, c->call, 1);
    for (uint32_t a = syntax_first(c->e->tree, list); a != NONE; a = syntax_next(c->e->tree, a)) {
        if (count == VALUE_ITEMS)
            eval_limit(c->e, &wide, c->call);
        if (c->e->tree->kind[a] == SYN_STARRED || count == VALUE_ITEMS)
            return &value_unknown;
        if (c->e->tree->kind[a] != SYN_KEYWORD)
            items[count++] = prepared_one(c, a, moves);
    }
    return count == 1 ? items[0] : values_tuple(c->e->values, VALUE_TUPLE, items, count);
}

/* deepspeed.initialize(model=model, ...): engine, optimizer, loader, scheduler. Batches are moved by the user. */
const struct value *known_engine(const struct known_call *c)
{
    struct eval *e = c->e;
    const struct value *model = known_argument(c, 1, "model");
    if (model->kind != VALUE_MODULE)
        model = eval_kind_of(e, VALUE_MODULE, 0);
    const struct value *const given[] = {
        known_moved(e, model, DEVICE_GPU, 0), values_of_kind(e->values, VALUE_OPTIMIZER),
        values_of_kind(e->values, VALUE_LOADER), values_of_kind(e->values, VALUE_SCHEDULER)};
    return values_tuple(e->values, VALUE_TUPLE, given, sizeof given / sizeof *given);
}

/* ---- trainers that hold what a step gives, and functions registered with them ---- */

/* What output_transform makes: a number where it reads one back, else something on the device of the trainer. */
static const struct value *transformed(const struct known_call *c)
{
    struct eval *e = c->e;
    const uint32_t node = known_keyword(c, "output_transform");
    if (node == NONE)
        return syntax_arguments_hidden(e->tree, c->call) ? &value_unknown : values_of_kind(e->values, VALUE_FLOAT);
    const struct value *transform = eval_get(e, node);
    if (transform->kind == VALUE_FUNCTION && transform->detail != NONE) {
        const struct value *made = eval_cell(e, cell_of_result(transform->detail));
        if (value_is_number(made))
            return made;
    }
    const bool there = is_told_of_device(e, c->call) || known_argument(c, 0, "model")->device == DEVICE_GPU;
    return there ? given_value(e, GIVEN_PARTS) : &value_unknown;
}

/* Engine(step): what the step gives, and which function that is. */
static const struct value *given_by_step(const struct known_call *c, struct value *engine)
{
    if (c->first->kind != VALUE_FUNCTION || c->first->detail == NONE)
        return &value_unknown;
    engine->detail = c->first->detail;
    return eval_concrete(c->e, eval_cell(c->e, cell_of_result(c->first->detail)), false);
}

const struct value *known_trainer(const struct known_call *c)
{
    struct value out = *known_object(c);
    const bool by_function = out.name && str_eq(out.name->text, S("ignite.engine.Engine"));
    const struct value *output = by_function ? given_by_step(c, &out) : transformed(c);
    out.items = &output;
    return values_get(c->e->values, &out);
}

/* The trainer is the first argument of what is registered with it, behind self. */
const struct value *known_handler(const struct known_call *c)
{
    struct eval *e = c->e;
    if (c->known->kind != VALUE_UNKNOWN)
        return values_of_kind(e->values, c->known->kind); /* it is given a batch */
    const uint32_t f = call_registered(e->files, e->file_id, c->call, known_argument(c, 1, "handler"));
    if (f == NONE)
        return &value_unknown;
    const struct function *handler = &e->files->functions[f];
    const uint32_t first = handler->class_id != NONE && !handler->is_static;
    if (first < handler->parameters)
        eval_fact(e, cell_of_parameter(e->cells, f, first),
                  eval_get(e, syntax_child(e->tree, syntax_first(e->tree, c->call), 0)));
    return &value_unknown;
}

const struct value *eval_framework_attribute(struct eval *e, const struct value *object, str member)
{
    const struct name *name = eval_name(e, object->name, member);
    const uint8_t special = name->known ? name->known->special : SPECIAL_NONE;
    if (special == SPECIAL_OUTPUT)
        return object->items ? object->items[0] : &value_unknown;
    if (special != SPECIAL_STATE)
        return NULL;
    struct value same = *object;
    same.name = name;
    return values_get(e->values, &same);
}
