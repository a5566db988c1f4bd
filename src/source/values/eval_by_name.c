/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that a program reaches by their names, or hands to others who do: decorators that keep what they are given,
 * import_module("x"), getattr(module, "x"), instantiate({"_target_": "x.Y"}), and fields of classes without __init__.
 */
#include "eval.h"
#include "source/known/known_words.h"

static str unquoted(const struct syntax *tree, uint32_t node)
{
    const str text = syntax_is(tree, node, SYN_STRING) ? syntax_text(tree, node) : S("");
    const bool plain = text.len >= 2 && (text.at[0] == '"' || text.at[0] == '\'') && tree->size[node] == 1;
    return plain ? (str){text.at + 1, text.len - 2} : (str){0};
}

void eval_class_made(struct eval *e, uint32_t class_id)
{
    if (!e->cells->classes[class_id].made)
        eval_fact(e, FACT_MADE - (int64_t)class_id, &value_unknown);
}

/* ---- decorators ---- */

/* The function or class that a decorator is given goes to its first parameter. */
static void give(struct eval *e, const struct value *decorator, const struct value *thing)
{
    const uint32_t f = decorator->detail;
    const struct function *function = &e->files->functions[f];
    const uint32_t k = function->class_id != NONE && !function->is_static;
    if (k < function->parameters)
        eval_fact(e, cell_of_parameter(e->cells, f, k), thing);
}

static const struct value *defined(struct eval *e, uint32_t node)
{
    const bool class_node = e->tree->kind[node] == SYN_CLASS;
    const struct map *by_node = class_node ? &e->files->class_by_node : &e->files->function_by_node;
    const uint32_t id = map_get(by_node, (int64_t)e->file_id << 32 | node);
    return values_get(e->values, &(struct value){.kind = class_node ? VALUE_CLASS : VALUE_FUNCTION, .detail = id});
}

void eval_decorators(struct eval *e, uint32_t decorated)
{
    const uint32_t node = syntax_last_child(e->tree, decorated);
    for (uint32_t d = syntax_first(e->tree, decorated); d != node; d = syntax_next(e->tree, d)) {
        const struct value *decorator = eval_get(e, d);
        if (decorator->kind != VALUE_FUNCTION || !value_of_run(decorator) || value_is_one_of_too_many(decorator))
            continue;
        if (decorator->detail != NONE)
            give(e, decorator, defined(e, node));
        for (uint32_t i = 0; decorator->detail == NONE && i < decorator->item_count; i++)
            give(e, decorator->items[i], defined(e, node));
    }
}

/* ---- fields ---- */

enum { MOST_FIELDS = SUMMARY_PARAMETERS };

static const struct limit many_fields = {"fields",
                                         "a class has more than 64 fields; what the others are given is not followed"};

struct fields {
    str names[MOST_FIELDS];
    uint32_t count;
};

static void add_field(struct fields *fields, str name)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (str_eq(fields->names[i], name))
            return;
    if (fields->count < MOST_FIELDS)
        fields->names[fields->count++] = name;
}

/* Fields of a class and those above it, those of the topmost first. */
static void list_fields(const struct eval *e, uint32_t class_id, struct fields *fields)
{
    const struct classes order = class_order(e->cells, class_id);
    for (uint32_t i = order.count; i--;) {
        const struct class_info *c = &e->files->classes[order.at[i]];
        const struct syntax *tree = e->files->at[c->file].shown.tree;
        const uint32_t body = syntax_last_child(tree, c->node);
        for (uint32_t s = syntax_first(tree, body); s != NONE; s = syntax_next(tree, s))
            if (tree->kind[s] == SYN_ANN_ASSIGN && tree->kind[s + 1] == SYN_NAME)
                add_field(fields, syntax_text(tree, s + 1));
    }
}

void eval_fields(struct eval *e, uint32_t call, uint32_t class_id)
{
    struct fields fields = {.count = 0};
    uint32_t position = 0;
    if (e->files->classes[class_id].is_module)
        return;
    list_fields(e, class_id, &fields);
    eval_read(e, read_key_class(class_id));
    const uint32_t list = syntax_child(e->tree, call, 1);
    for (uint32_t a = syntax_first(e->tree, list); a != NONE; a = syntax_next(e->tree, a)) {
        const enum syntax_kind kind = e->tree->kind[a];
        if (kind == SYN_STARRED)
            return;
        if (kind == SYN_KEYWORD)
            eval_attribute_fact(e, class_id, syntax_text(e->tree, a + 1), eval_get(e, a));
        else if (kind != SYN_DOUBLE_STARRED && position < fields.count)
            eval_attribute_fact(e, class_id, fields.names[position++], eval_get(e, a));
        else if (kind != SYN_DOUBLE_STARRED && fields.count == MOST_FIELDS)
            eval_limit(e, &many_fields, a);
    }
}

/* What a factory makes: list, dict, a class or a function of the run. */
static const struct value *made_by(struct eval *e, const struct value *factory)
{
    if (factory->kind == VALUE_CLASS && factory->detail != NONE) {
        eval_class_made(e, factory->detail);
        return eval_module_of(e, factory->detail, DEVICE_CPU);
    }
    if (factory->kind == VALUE_FUNCTION && factory->detail != NONE)
        return eval_cell(e, cell_of_result(factory->detail));
    const str name = factory->name ? factory->name->text : S("");
    return str_eq(name, S("list"))   ? eval_kind_of(e, VALUE_LIST, 0)
           : str_eq(name, S("dict")) ? eval_kind_of(e, VALUE_DICT, 0)
           : str_eq(name, S("set"))  ? eval_kind_of(e, VALUE_SET, 0)
                                     : &value_unknown;
}

static const struct value *field(struct eval *e, uint32_t call)
{
    const uint32_t factory = syntax_argument(e->tree, call, NONE, "default_factory");
    const uint32_t value = syntax_argument(e->tree, call, NONE, "default");
    return factory != NONE ? made_by(e, eval_get(e, factory)) : value != NONE ? eval_get(e, value) : &value_unknown;
}

/* ---- by name ---- */

static const struct value *imported(struct eval *e, uint32_t call)
{
    const str name = unquoted(e->tree, syntax_argument(e->tree, call, 0, "name"));
    const uint32_t file = name.len ? module_find(e->files, e->file_id, name) : NONE;
    return file == NONE ? &value_unknown : eval_import(e, file);
}

/* "pkg.meter.Meter" */
static const struct value *target_of(struct eval *e, str dotted)
{
    const str last = eval_last_part(dotted);
    const str module = {dotted.at, dotted.len > last.len ? dotted.len - last.len - 1 : 0};
    const uint32_t file = module.len ? module_find(e->files, e->file_id, module) : NONE;
    return file == NONE ? &value_unknown : eval_member(e, eval_import(e, file), last);
}

/* _target_ of a dict that stands in the call, or is bound to its name. */
static str target_name(const struct eval *e, uint32_t node)
{
    const struct syntax *tree = e->tree;
    if (syntax_is(tree, node, SYN_NAME)) {
        const uint32_t d = flow_resolve(e->flow, flow_read_def(e->flow, node));
        const struct definition *def = d == NONE ? NULL : &e->flow->defs[d].shown;
        node = def && def->kind == DEFINED_ASSIGN && !def->unpacked ? def->value : NONE;
    }
    for (uint32_t i = syntax_is(tree, node, SYN_DICT) ? syntax_first(tree, node) : NONE; i != NONE;
         i = syntax_next(tree, i))
        if (tree->kind[i] == SYN_PAIR && str_eq(unquoted(tree, i + 1), S("_target_")))
            return unquoted(tree, syntax_child(tree, i, 1));
    return unquoted(tree, node); /* get_class("pkg.meter.Meter") */
}

static const struct value *instantiated(struct eval *e, uint32_t call, bool make)
{
    static const struct limit by_name = {
        "made-by-name", "something is made that a configuration names; what it is, and what it does, is not known"};
    const str target = target_name(e, syntax_argument(e->tree, call, 0, "config"));
    if (!target.at)
        eval_limit(e, &by_name, call);
    const struct value *value = target.at ? target_of(e, target) : &value_unknown;
    if (make && value_of_run(value))
        return made_by(e, value);
    return make ? &value_unknown : value;
}

const struct value *eval_made_by_name(struct eval *e, uint32_t call, str name)
{
    if (str_eq(name, S("importlib.import_module")) || str_eq(name, S("__import__")))
        return imported(e, call);
    if (str_is_among("dataclasses.field attr.ib attr.field attrs.field pydantic.Field", name))
        return field(e, call);
    if (str_is_among("hydra.utils.instantiate hydra.utils.call", name))
        return instantiated(e, call, true);
    if (str_is_among("hydra.utils.get_class hydra.utils.get_method hydra.utils.get_object", name))
        return instantiated(e, call, false);
    return NULL;
}

/* Functions and classes that a module of the run defines and that the call of what is got may be of. */
static const struct value *any_of(struct eval *e, uint32_t file)
{
    const struct flow *flow = &e->files->at[file].flow;
    const struct value *value = &value_nothing;
    for (uint32_t s = 0; s < flow->slot_count; s++) {
        if (flow->slots[s].function != 0 || flow->slots[s].outside)
            continue;
        const struct value *held = eval_cell(e, cell_of_slot(e->cells, file, s));
        const bool own =
            held->kind == VALUE_FUNCTION && held->detail != NONE && e->files->functions[held->detail].file == file;
        if (own)
            value = values_join(e->values, value, held, JOIN_WAYS);
    }
    return value == &value_nothing ? &value_unknown : value;
}

const struct value *eval_getattr(struct eval *e, uint32_t call)
{
    const uint32_t first = syntax_argument(e->tree, call, 0, NULL), second = syntax_argument(e->tree, call, 1, NULL);
    const struct value *object = first == NONE ? &value_unknown : eval_get(e, first);
    const bool module = object->kind == VALUE_IMPORT && object->detail != NONE && object->detail < e->files->count;
    const str name = unquoted(e->tree, second);
    if (!module)
        return NULL;
    return name.at ? eval_member(e, object, name) : any_of(e, object->detail);
}
