/* SPDX-License-Identifier: Apache-2.0 */
/* Values of definitions: what a name holds from there on. */
#include "eval.h"
#include "source/known/known_words.h"

/* What is known of parameter k from those who call. */
enum value_device eval_device_of_parameter(struct eval *e, uint32_t k)
{
    uint16_t flags;
    return resolve_parameter(e->cells, eval_function_id(e), k, &flags);
}

/* ---- definitions ---- */

static const struct value *meeting_value(struct eval *e, const struct def *def)
{
    const struct value *value = &value_nothing;
    for (uint32_t i = 0; i < def->operands; i++)
        value = values_join(e->values, value, eval_def(e, e->flow->operands[def->first_operand + i]), JOIN_WAYS);
    return value;
}

static const struct value *outside_value(struct eval *e, const struct def *def)
{
    const struct slot *slot = &e->flow->slots[def->slot];
    if (slot->outer != NONE)
        return eval_cell(e, cell_of_slot(e->cells, e->file_id, slot->outer));
    if (!slot->outside)
        return &value_nothing; /* a local before it is bound */
    const struct value *starred = eval_starred(e, e->file_id, slot->text);
    if (starred)
        return starred;
    return values_get(e->values,
                      &(struct value){.kind = VALUE_FUNCTION, .detail = NONE, .name = names_get(e->names, slot->text)});
}

/* Where the name stands in `a, (b, c) = value`: takes the parts on the way down. */
const struct value *eval_unpack(struct eval *e, const struct value *value, uint32_t name, uint32_t top)
{
    uint32_t path[EVAL_WIDEST], depth = 0;
    for (uint32_t at = name; at != top && depth < EVAL_WIDEST; at = e->tree->parent[at])
        path[depth++] = at;
    while (depth--) {
        const uint32_t at = path[depth], holder = e->tree->parent[at];
        if (e->tree->kind[holder] == SYN_STARRED)
            continue;
        uint32_t i = 0;
        for (uint32_t s = syntax_first(e->tree, holder); s != at && s != NONE && i < EVAL_WIDEST; i++)
            s = syntax_next(e->tree, s);
        if (e->tree->kind[at] == SYN_STARRED)
            value = values_container(e->values, VALUE_LIST, eval_iterate(e, value));
        else if (value->kind == VALUE_BATCH)
            value = values_get(e->values, &(struct value){.kind = VALUE_TENSOR,
                                                          .device = value->device,
                                                          .parameter = value->parameter,
                                                          .detail = NONE,
                                                          .flags = value->flags | VALUE_ASSUMED});
        else if (value->kind == VALUE_TENSOR && value->flags & VALUE_ASSUMED)
            value = values_get(e->values, &(struct value){.kind = VALUE_UNKNOWN,
                                                          .device = value->device,
                                                          .parameter = value->parameter,
                                                          .detail = NONE,
                                                          .flags = value->flags});
        else
            value = value->item_count ? value_item_at(value, i) : eval_iterate(e, value);
    }
    return value;
}

static uint32_t target_top(const struct syntax *tree, uint32_t name)
{
    uint32_t top = name;
    while (tree->kind[tree->parent[top]] == SYN_TUPLE || tree->kind[tree->parent[top]] == SYN_LIST ||
           tree->kind[tree->parent[top]] == SYN_STARRED)
        top = tree->parent[top];
    return top;
}

static const struct value *bound_value(struct eval *e, const struct def *def, const struct value *value)
{
    return def->shown.unpacked ? eval_unpack(e, value, def->shown.name, target_top(e->tree, def->shown.name)) : value;
}

static const struct value *import_value(struct eval *e, const struct def *def)
{
    const struct syntax *tree = e->tree;
    const uint32_t alias = def->shown.value, statement = tree->parent[alias];
    const str written = syntax_text(tree, syntax_first(tree, alias));
    struct value out = {.kind = VALUE_IMPORT, .detail = def->import_file};
    if (tree->kind[statement] == SYN_IMPORT) {
        const bool first_part = syntax_inside(tree, def->shown.name, syntax_first(tree, alias));
        const str name = first_part ? syntax_text(tree, def->shown.name) : written;
        out.name = names_get(e->names, out.detail == NONE ? name : e->files->at[out.detail].shown.module);
        return values_get(e->values, &out);
    }
    const str from = syntax_text(tree, syntax_first(tree, statement));
    out.name = names_get(e->names, out.detail == NONE ? from : e->files->at[out.detail].shown.module);
    return eval_member(e, values_get(e->values, &out), written);
}

static const struct value *definition_value(struct eval *e, const struct def *def)
{
    const uint32_t node = def->shown.value;
    if (e->tree->kind[node] == SYN_CLASS) {
        const uint32_t id = map_get(&e->files->class_by_node, (int64_t)e->file_id << 32 | node);
        return values_get(e->values, &(struct value){.kind = VALUE_CLASS, .detail = id});
    }
    const uint32_t id = map_get(&e->files->function_by_node, (int64_t)e->file_id << 32 | node);
    return values_get(e->values, &(struct value){.kind = VALUE_FUNCTION, .detail = id});
}

static uint32_t parameter_index(const struct eval *e, uint32_t name)
{
    const uint32_t parameter = e->tree->parent[name];
    uint32_t k = 0;
    for (uint32_t p = syntax_first(e->tree, e->tree->parent[parameter]);
         p != parameter && p != NONE && k < SUMMARY_PARAMETERS; p = syntax_next(e->tree, p))
        k += e->tree->kind[p] == SYN_PARAMETER && !syntax_is(e->tree, syntax_first(e->tree, p), SYN_ABSENT);
    return k;
}

static const struct value *self_value(struct eval *e, const struct function *f)
{
    const uint32_t class_id = f->class_id;
    if (f->is_classmethod)
        return values_get(e->values, &(struct value){.kind = VALUE_CLASS, .detail = class_id});
    return eval_module_of(e, class_id, DEVICE_PARAMETER);
}

/* forward(batch, device), which moves what it takes from the batch: a batch of the host. */
static const struct value *batch_to_move(struct eval *e)
{
    return values_get(e->values, &(struct value){.kind = VALUE_BATCH,
                                                 .device = DEVICE_CPU,
                                                 .detail = NONE,
                                                 .flags = VALUE_FROM_LOADER | VALUE_ASSUMED});
}

/* Of a parameter: what the callers give, its default, and by its name what every caller would. */
static const struct value *parameter_value(struct eval *e, const struct def *def)
{
    const struct function *f = &e->files->functions[eval_function_id(e)];
    const uint32_t k = parameter_index(e, def->shown.name), stars = e->tree->op[e->tree->parent[def->shown.name]];
    if (e->tree->parent[e->tree->parent[e->tree->parent[def->shown.name]]] != f->node)
        return &value_unknown; /* of a lambda */
    if (k == 0 && f->class_id != NONE && !f->is_static)
        return self_value(e, f);
    if (k >= SUMMARY_PARAMETERS || k >= f->parameters)
        return &value_unknown;
    const struct value own = {
        .kind = VALUE_NOTHING, .device = DEVICE_PARAMETER, .parameter = (uint8_t)k, .detail = NONE};
    if (stars)
        return values_container(e->values, stars == 2 ? VALUE_DICT : VALUE_TUPLE, &value_unknown);
    const struct value *given = eval_cell(e, cell_of_parameter(e->cells, eval_function_id(e), k));
    if (given == &value_nothing && def->shown.value != NONE && e->tree->kind[def->shown.value] != SYN_NONE)
        given = eval_get(e, def->shown.value);
    if ((given == &value_nothing || given == &value_unknown) && def->proof & PROOF_MOVED && e->in_module &&
        e->files->calls_forward[eval_function_id(e)])
        return batch_to_move(e);
    if (given == &value_nothing || given == &value_unknown)
        return values_get(e->values, &own);
    if (given->kind == VALUE_UNKNOWN) /* callers give different things: what comes back depends on which */
        return values_get(e->values, &own);
    if (value_device_matters(given))
        return value_as_parameter(e->values, given, (uint8_t)k);
    return given;
}

/* x[i] = v and x.append(v): the container then holds v too. A tensor stays what it is. */
static const struct value *changed_value(struct eval *e, const struct def *def)
{
    const struct value *before = eval_def(e, def->previous);
    const uint32_t node = def->shown.value;
    const struct value *put = NULL;
    str method = S("");
    if (syntax_is(e->tree, node, SYN_CALL) && e->tree->kind[def->shown.statement] == SYN_EXPR) {
        method = syntax_tail(e->tree, syntax_first(e->tree, node));
        const uint32_t argument = syntax_argument(e->tree, node, known_word(WORDS_PUT_SECOND, method) ? 1 : 0, NULL);
        put = argument == NONE ? NULL : eval_get(e, argument);
        if (known_word(WORDS_PUT_ITEMS, method))
            put = put ? eval_iterate(e, put) : NULL;
    } else {
        put = eval_get(e, node);
    }
    if (known_word(WORDS_MOVE_FIRST, method)) {
        eval_fact(e, FACT_DEVICE_USED, &value_unknown);
        return eval_move_to(e, before, DEVICE_GPU, 0);
    }
    if (known_word(WORDS_MOVE, method)) {
        const struct value *after = eval_get(e, node);
        return before->kind == VALUE_MODULE || before->kind == VALUE_LOSS || before->kind == VALUE_UNKNOWN ? after
                                                                                                           : before;
    }
    const bool holds = before->kind == VALUE_LIST || before->kind == VALUE_DICT || before->kind == VALUE_SET;
    if (!holds && before->flags & VALUE_CONSTANT)
        return values_without(e->values, before, VALUE_CONSTANT);
    if (!put || !holds || known_word(WORDS_TAKE, method))
        return before;
    const struct value *item =
        values_join(e->values, before->items ? value_join_items(e->values, before) : &value_nothing, put, JOIN_WAYS);
    return values_container(e->values, before->kind, item);
}

static const struct value *value_of_definition(struct eval *e, const struct def *def)
{
    switch ((enum definition_kind)def->shown.kind) {
    case DEFINED_ASSIGN:
        return bound_value(e, def, eval_get(e, def->shown.value));
    case DEFINED_AUGMENT:
        return eval_binary(e, eval_def(e, def->previous), eval_get(e, def->shown.value),
                           e->tree->op[def->shown.statement]);
    case DEFINED_FOR:
        return bound_value(e, def, eval_iterate(e, eval_get(e, def->shown.value)));
    case DEFINED_WITH:
        return bound_value(e, def, eval_get(e, def->shown.value));
    case DEFINED_PARAMETER:
        return parameter_value(e, def);
    case DEFINED_IMPORT:
        return import_value(e, def);
    case DEFINED_FUNCTION:
        return definition_value(e, def);
    case DEFINED_CHANGE:
        return changed_value(e, def);
    case DEFINED_MEETING:
        return meeting_value(e, def);
    case DEFINED_OUTSIDE:
        return outside_value(e, def);
    case DEFINED_DELETE:
        return &value_nothing;
    case DEFINED_EXCEPT:
        return values_of_kind(e->values, VALUE_OTHER);
    }
    return &value_unknown;
}

/* Where the items are numbers of a tensor, what is iterated over is one: x, enumerate(x). */
static void prove_iterable(struct eval *e, uint32_t iterable)
{
    const struct syntax *tree = e->tree;
    if (syntax_calls(tree, iterable, S("enumerate")))
        iterable = syntax_argument(tree, iterable, 0, NULL);
    if (iterable != NONE && eval_get(e, iterable)->kind == VALUE_UNKNOWN)
        eval_prove_tensor(e, iterable);
}

/* Where what is trained lies on the device: a loss lies there too, and what it is computed from. */
static bool trains_on_gpu(struct eval *e, const struct def *def)
{
    const struct program *program = program_of(e->cells, e->file_id);
    return def->proof & (PROOF_LOSS | PROOF_WITH_LOSS) && (program->model_on_gpu || program->module_moved);
}

/* Where ways meet and on one of them it is a list, uses behind that stand on another way prove nothing for this one. */
static bool is_container_on_a_way(struct eval *e, const struct def *def)
{
    for (uint32_t i = 0; def->shown.kind == DEFINED_MEETING && i < def->operands; i++) {
        const enum value_kind kind = eval_def(e, e->flow->operands[def->first_operand + i])->kind;
        if (kind == VALUE_LIST || kind == VALUE_TUPLE || kind == VALUE_DICT)
            return true;
    }
    return false;
}

/* What the uses of a name prove, where nothing else is known. */
static const struct value *proven(struct eval *e, const struct def *def, const struct value *value)
{
    struct value out = *value;
    const bool open = (value->kind == VALUE_UNKNOWN || value->kind == VALUE_NOTHING || value->kind == VALUE_BATCH) &&
                      !is_container_on_a_way(e, def);
    const bool given = value != &value_nothing || def->shown.kind == DEFINED_PARAMETER;
    const bool placed = value->device == DEVICE_GPU || value->device == DEVICE_CPU || value->device == DEVICE_PARAMETER;
    if (open && placed && def->proof & PROOF_ITEM && def->shown.kind == DEFINED_FOR)
        prove_iterable(e, def->shown.value);
    if (def->proof & PROOF_KEYED && (open || value->kind == VALUE_TENSOR)) { /* something that holds tensors */
        out.kind = value->kind == VALUE_BATCH || value->kind == VALUE_NOTHING ? value->kind : VALUE_UNKNOWN;
        return values_get(e->values, &out);
    }
    const bool trained = trains_on_gpu(e, def);
    if (open && given && (def->proof & PROOF_TENSOR || ((placed || trained) && def->proof & PROOF_ITEM)))
        out.kind = VALUE_TENSOR;
    else if (open && given && def->proof & PROOF_MODULE && value->kind != VALUE_BATCH)
        out.kind = VALUE_MODULE;
    if (out.kind == VALUE_TENSOR && trained && out.device == DEVICE_UNKNOWN) {
        out.device = DEVICE_GPU;
        out.flags |= def->proof & PROOF_LOSS ? VALUE_ASSUMED | VALUE_GRAD : VALUE_ASSUMED;
    }
    if (out.kind == VALUE_TENSOR && def->proof & PROOF_CPU && !(def->proof & PROOF_FETCHED)) {
        out.device = DEVICE_CPU;
        out.parameter = 0;
        out.flags &= (uint16_t)~VALUE_UPLOADED;
    }
    return values_get(e->values, &out);
}

void eval_settle(struct eval *e, uint32_t d)
{
    const struct def *def = &e->flow->defs[d];
    if (def->same_as != NONE)
        return;
    const struct value *value = proven(e, def, value_of_definition(e, def));
    e->changed |= e->own->value_of_def[d] != value->id;
    e->own->value_of_def[d] = value->id;
}
