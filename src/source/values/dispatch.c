/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attribute of an object of the run is: the method that its class has by the order of its bases, or what methods
 * bind it to. `self` may be an object of any class that inherits: a method that those override is what they have, where
 * they are made in the run.
 */
#include "eval.h"
#include "source/known/known_words.h"

enum { MOST_OVERRIDES = 256 };

static const struct limit many_overrides = {
    "overrides",
    "a method has more than 256 forms in classes that inherit; which of them a call on self or super() reaches is not looked at"};

static const struct value *function_value(struct eval *e, uint32_t function)
{
    return values_get(e->values, &(struct value){.kind = VALUE_FUNCTION, .detail = function});
}

/* ---- attributes ---- */

static const struct value *attribute_of_one(struct eval *e, uint32_t class_id, const struct name *name)
{
    const uint32_t cell = map_get(&e->cells->of_attribute, cell_key_attribute(class_id, name));
    eval_read(e, cell_key_attribute(class_id, name));
    return cell == MAP_NONE ? &value_nothing : eval_cell(e, cell);
}

/* The attribute as methods of the class and its bases bind it, seen from this object. */
static const struct value *attribute_cells(struct eval *e, uint32_t class_id, const struct name *name)
{
    const struct value *value = &value_nothing;
    eval_read(e, read_key_class(class_id));
    const struct classes order = class_order(e->cells, class_id);
    for (uint32_t i = 0; i < order.count; i++)
        value = values_join(e->values, value, attribute_of_one(e, order.at[i], name), JOIN_WAYS);
    if (order.cut && value == &value_nothing)
        class_tell_order(e->cells, class_id);
    return value;
}

/* ---- methods ---- */

/* def f(self): pass, ..., raise NotImplementedError: what inherits has another. */
static bool is_empty(const struct eval *e, uint32_t function)
{
    const struct function *f = &e->files->functions[function];
    const struct syntax *tree = e->files->at[f->file].shown.tree;
    if (tree->kind[f->node] != SYN_FUNCTION)
        return false;
    const uint32_t body = syntax_last_child(tree, f->node);
    for (uint32_t s = syntax_first(tree, body); s != NONE; s = syntax_next(tree, s)) {
        const bool text =
            tree->kind[s] == SYN_EXPR && (tree->kind[s + 1] == SYN_STRING || tree->kind[s + 1] == SYN_ELLIPSIS);
        const bool raises = tree->kind[s] == SYN_RAISE && str_has(syntax_text(tree, s), S("NotImplemented"));
        if (!text && !raises && tree->kind[s] != SYN_PASS)
            return false;
    }
    return true;
}

/* The method of the class, and of those that inherit from it and are made; of all of them where none is. */
static const struct value *overridden(struct eval *e, uint32_t node, uint32_t class_id, uint32_t own,
                                      const struct name *name)
{
    const struct class_data *data = &e->cells->classes[class_id];
    const uint32_t count = map_get(&e->files->method_count, name->id);
    const struct value *value = &value_nothing;
    if (!data->inherited || count == MAP_NONE)
        return own == NONE ? value : function_value(e, own);
    if (count > MOST_OVERRIDES) {
        eval_limit(e, &many_overrides, node);
        return own == NONE ? value : function_value(e, own);
    }
    for (uint32_t f = map_get(&e->files->methods_by_name, name->id); f != MAP_NONE; f = e->files->next_of_name[f]) {
        const uint32_t at = e->files->functions[f].class_id;
        const bool made = e->cells->classes[at].made_below || !data->made_below;
        if (at != class_id && made && !e->files->functions[f].is_property && class_inherits(e->cells, at, class_id))
            value = values_join(e->values, value, function_value(e, f), JOIN_WAYS);
    }
    if (own == NONE || (value != &value_nothing && is_empty(e, own)))
        return value;
    return values_join(e->values, function_value(e, own), value, JOIN_WAYS);
}

static bool is_self(const struct eval *e, uint32_t object, uint32_t class_id)
{
    return e->self_class == class_id && e->tree->kind[object] == SYN_NAME &&
           (str_eq(syntax_text(e->tree, object), S("self")) || str_eq(syntax_text(e->tree, object), S("cls")));
}

/* ---- super() ---- */

/* The class behind which methods are looked for: of super() the one whose code it stands in. */
static uint32_t super_of(struct eval *e, uint32_t object)
{
    if (!syntax_is(e->tree, object, SYN_CALL) || !str_eq(syntax_text(e->tree, object + 1), S("super")))
        return NONE;
    const uint32_t first = syntax_argument(e->tree, object, 0, NULL);
    const struct value *said = first == NONE ? NULL : eval_get(e, first);
    return said && said->kind == VALUE_CLASS && said->detail != NONE ? said->detail : e->self_class;
}

static uint32_t method_behind(struct eval *e, uint32_t of, uint32_t class_id, const struct name *name)
{
    const struct classes order = class_order(e->cells, of);
    uint32_t i = 0;
    while (i < order.count && order.at[i] != class_id)
        i++;
    for (i++; i < order.count; i++) {
        const uint32_t own = map_get(&e->files->method, (int64_t)order.at[i] << 32 | name->id);
        if (own != MAP_NONE)
            return own;
    }
    return NONE;
}

/* Behind a class stands what those that are made of several bases have there: super() may go sideways. */
static const struct value *super_method(struct eval *e, uint32_t node, uint32_t class_id, const struct name *name)
{
    const struct class_data *data = &e->cells->classes[class_id];
    const struct value *value = &value_nothing;
    const uint32_t plain = method_behind(e, class_id, class_id, name);
    bool any = false;
    eval_read(e, read_key_class(class_id));
    if (data->diamond_count > MOST_OVERRIDES)
        eval_limit(e, &many_overrides, node);
    for (uint32_t i = 0; i < data->diamond_count && i < MOST_OVERRIDES; i++) {
        const uint32_t of = e->cells->diamonds[data->first_diamond + i];
        if (!e->cells->classes[of].made)
            continue;
        const uint32_t found = method_behind(e, of, class_id, name);
        any = true;
        if (found != NONE)
            value = values_join(e->values, value, function_value(e, found), JOIN_WAYS);
    }
    if (plain != NONE && (!any || data->made))
        value = values_join(e->values, value, function_value(e, plain), JOIN_WAYS);
    return value;
}

/* ---- asking ---- */

static const struct value *own_attribute(struct eval *e, uint32_t node, uint32_t class_id, const struct value *object,
                                         str text)
{
    const struct name *name = eval_name(e, NULL, text);
    const uint32_t method = class_method(e->cells, class_id, text);
    const bool property = method != NONE && e->files->functions[method].is_property;
    const struct value *value = &value_nothing;
    eval_read(e, read_key_class(class_id));
    if (property)
        value = eval_cell(e, cell_of_result(method));
    else if (is_self(e, syntax_first(e->tree, node), class_id))
        value = overridden(e, node, class_id, method, name);
    else if (method != NONE)
        value = function_value(e, method);
    if (value->kind == VALUE_FUNCTION && !property)
        return value;
    if (!property)
        value = attribute_cells(e, class_id, name);
    return value_symbolic(value) ? value_substitute(e, value, &object, 1) : value;
}

const struct value *eval_super_attribute(struct eval *e, uint32_t node, str text)
{
    const uint32_t super = super_of(e, syntax_first(e->tree, node));
    return super == NONE ? &value_nothing : super_method(e, node, super, eval_name(e, NULL, text));
}

const struct value *eval_attribute_of_class(struct eval *e, uint32_t node, const struct value *object, str text)
{
    if (object->detail != NONE)
        return own_attribute(e, node, object->detail, object, text);
    const struct value *value = &value_nothing;
    for (uint32_t i = 0; value_of_run(object) && i < value_item_slots(object); i++)
        value = values_join(e->values, value, own_attribute(e, node, object->items[i]->detail, object->items[i], text),
                            JOIN_WAYS);
    return value;
}
