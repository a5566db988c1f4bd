/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file, function by function. Statements are met in the order of the text,
 * expressions of a statement from the back, so that operands come before what is
 * made of them: nothing here goes deeper with the nesting of the source. What
 * loops carry around is settled in further passes.
 */
#include "eval.h"

#include "base/mem.h"
#include "source/flow/asks.h"
#include "source/known/known_words.h"

enum { PASSES = 6 };

void eval_tell_long_name(const struct eval *e, str part)
{
    static const struct limit long_name = {"name-length",
                                           "a dotted name has more than 480 bytes; what it stands for is not known"};
    const uintptr_t at = (uintptr_t)part.at - (uintptr_t)e->tree->text.at;
    limits_tell(e->files->limits, &long_name, e->file_id, at < e->tree->text.len ? (uint32_t)at : 0);
}

const struct name *eval_name(struct eval *e, const struct name *base, str part)
{
    const size_t at = ((uintptr_t)part.at ^ (uintptr_t)part.at >> 10 ^ (uintptr_t)base >> 4) % NAMES_KEPT;
    struct kept_name *kept = &e->kept[at];
    if (!kept->name || kept->base != base || kept->part.at != part.at || kept->part.len != part.len)
        *kept = (struct kept_name){base, part, base ? names_dot(e->names, base, part) : names_get(e->names, part)};
    if (base && str_eq(kept->name->text, S("?")))
        eval_tell_long_name(e, part);
    return kept->name;
}

/* ---- facts ---- */

void eval_fact(struct eval *e, int64_t key, const struct value *value)
{
    struct facts *facts = &e->own->facts;
    facts->at = mem_grow(facts->at, &facts->room, facts->count + 1, sizeof *facts->at);
    facts->at[facts->count++] = (struct fact){key, value};
}

void eval_read(struct eval *e, int64_t key)
{
    map_put(&e->own->reads, key, 1);
}

const struct value *eval_cell(struct eval *e, uint32_t cell)
{
    eval_read(e, cell);
    return e->cells->at[cell].value;
}

const struct value *eval_concrete(struct eval *e, const struct value *value, bool keep_self)
{
    if (!value_symbolic(value) || (keep_self && value->device == DEVICE_PARAMETER && value->parameter == 0))
        return value;
    if (value->device == DEVICE_PARAMETER && !value->items)
        return values_on(e->values, value, eval_device_of_parameter(e, value->parameter), 0, 0);
    struct value out = *value;
    const struct value *room[256];
    if (out.device == DEVICE_PARAMETER)
        out.device = (uint8_t)eval_device_of_parameter(e, value->parameter);
    out.parameter = 0;
    if (out.kind == VALUE_NOTHING &&
        out.device != DEVICE_PARAMETER) /* an argument that was moved: others know but where to */
        out.kind = VALUE_UNKNOWN;
    const uint32_t count = !value->items ? 0 : value->item_count ? value->item_count : 1;
    for (uint32_t i = 0; i < count; i++)
        room[i] = eval_concrete(e, value->items[i], keep_self);
    out.items = value->items ? room : NULL;
    return values_get(e->values, &out);
}

void eval_class_on_gpu(struct eval *e, uint32_t class_id)
{
    if (class_id != NONE)
        eval_fact(e, FACT_CLASSES - (int64_t)class_id, &value_unknown);
}

void eval_attribute_fact(struct eval *e, uint32_t class_id, str name, const struct value *value)
{
    if (class_id != NONE)
        eval_fact(e, cell_key_attribute(class_id, names_get(e->names, name)),
                  eval_concrete(e, value, e->files->classes[class_id].is_module));
}

/* Definitions lie in the order in which statements make them; those of comprehensions and lambdas are made inside. */
static void settle_statement(struct eval *e, uint32_t statement)
{
    for (const uint32_t last = e->file->function_last_def[e->function]; e->cursor < last; e->cursor++) {
        const struct def *def = &e->flow->defs[e->cursor];
        const bool between = def->shown.kind == DEFINED_MEETING || def->shown.kind == DEFINED_OUTSIDE;
        if (!between && def->shown.statement > statement)
            return;
        if (between && def->shown.statement > statement && def->shown.kind == DEFINED_MEETING)
            return;
        const bool inner = def->shown.kind == DEFINED_PARAMETER &&
                           def->shown.statement != e->files->functions[eval_function_id(e)].node;
        if (!inner)
            eval_settle(e, e->cursor);
    }
}

/* ---- statements ---- */

/* `self.x = value` and what is like it: a fact about the class of the object. */
static void assign_attribute(struct eval *e, uint32_t target, const struct value *value)
{
    const struct value *object = eval_get(e, syntax_first(e->tree, target));
    const bool instance = object->kind == VALUE_INSTANCE || object->kind == VALUE_MODULE ||
                          object->kind == VALUE_DATASET || object->kind == VALUE_CLASS;
    if (!instance || object->detail == NONE)
        return;
    if (e->files->classes[object->detail].is_module)
        value = value_owned(e->values, value);
    eval_attribute_fact(e, object->detail, syntax_tail(e->tree, target), value);
}

static void assign_part(struct eval *e, uint32_t target, const struct value *value)
{
    if (e->tree->kind[target] == SYN_ATTRIBUTE) {
        assign_attribute(e, target, value);
    } else if (e->tree->kind[target] == SYN_SUBSCRIPT) { /* self.cache[k] = value */
        const uint32_t holder = syntax_first(e->tree, target);
        if (e->tree->kind[holder] == SYN_ATTRIBUTE) {
            const struct value *before = eval_get(e, holder);
            if (before->kind == VALUE_DICT || before->kind == VALUE_LIST)
                assign_attribute(e, holder, values_container(e->values, before->kind, value));
            else if (before->flags & (VALUE_CONSTANT | VALUE_FRESH))
                assign_attribute(e, holder, values_without(e->values, before, VALUE_CONSTANT | VALUE_FRESH));
        }
    }
}

static void assign_targets(struct eval *e, uint32_t statement, uint32_t value_node)
{
    const struct value *value = eval_get(e, value_node);
    for (uint32_t target = syntax_first(e->tree, statement); target != NONE && target != value_node;
         target = syntax_next(e->tree, target)) {
        if (e->tree->kind[target] != SYN_TUPLE && e->tree->kind[target] != SYN_LIST) {
            assign_part(e, target, value);
            continue;
        }
        uint32_t i = 0;
        for (uint32_t part = syntax_first(e->tree, target); part != NONE; part = syntax_next(e->tree, part), i++)
            if (e->tree->kind[part] == SYN_ATTRIBUTE)
                assign_part(e, part, value->item_count ? value_item_at(value, i) : eval_unpack(e, value, part, target));
    }
}

/* `self.register_buffer("x", value)`: self.x is that tensor, where the module is. */
static void register_buffer(struct eval *e, uint32_t call)
{
    const struct value *object = eval_get(e, syntax_first(e->tree, call) + 1);
    const uint32_t name = syntax_argument(e->tree, call, 0, "name"), put = syntax_argument(e->tree, call, 1, "tensor");
    if (object->kind != VALUE_MODULE || object->detail == NONE || put == NONE || !syntax_is(e->tree, name, SYN_STRING))
        return;
    const str text = syntax_text(e->tree, name);
    struct value buffer = *eval_get(e, put);
    if (text.len < 3 || (buffer.kind != VALUE_TENSOR && buffer.kind != VALUE_UNKNOWN))
        return;
    buffer.kind = VALUE_TENSOR;
    buffer.flags = VALUE_BUFFER;
    eval_attribute_fact(e, object->detail, (str){text.at + 1, text.len - 2},
                        value_as_parameter(e->values, values_get(e->values, &buffer), 0));
}

/* `self.xs.append(v)`, `self.model.to(device)`: facts about the attribute. */
static void statement_call(struct eval *e, uint32_t call)
{
    const struct syntax *tree = e->tree;
    const uint32_t callee = syntax_is(tree, call, SYN_CALL) ? syntax_first(tree, call) : NONE;
    if (syntax_is(tree, callee, SYN_ATTRIBUTE) && str_eq(syntax_tail(tree, callee), S("register_buffer")))
        register_buffer(e, call);
    if (!syntax_is(tree, callee, SYN_ATTRIBUTE) || tree->kind[callee + 1] != SYN_ATTRIBUTE)
        return;
    const uint32_t holder = callee + 1;
    const struct value *before = eval_get(e, holder);
    const str method = syntax_tail(tree, callee);
    if (before->kind == VALUE_LIST && known_word(WORDS_PUT_IN_LIST, method)) {
        const uint32_t argument = syntax_argument(tree, call, 0, NULL);
        const struct value *put = eval_get(e, argument);
        assign_attribute(
            e, holder,
            values_container(e->values, VALUE_LIST, known_word(WORDS_PUT_ITEMS, method) ? eval_iterate(e, put) : put));
    } else if (known_word(WORDS_MOVE_TO_DEVICE, method)) {
        if (before->kind == VALUE_MODULE || before->kind == VALUE_UNKNOWN || before->kind == VALUE_LOSS)
            assign_attribute(e, holder, eval_get(e, call));
    }
}

/* Whether it only runs where there is no device: what it returns there is not what the run is about. */
static bool without_cuda(const struct syntax *tree, uint32_t node)
{
    for (uint32_t at = node; at && tree->kind[at] != SYN_FUNCTION; at = tree->parent[at]) {
        const uint32_t parent = tree->parent[at];
        if (tree->kind[parent] != SYN_IF)
            continue;
        bool negated;
        if (asks_for_cuda(tree, parent + 1, &negated) && at == syntax_child(tree, parent, negated ? 1 : 2))
            return true;
    }
    return false;
}

static void return_fact(struct eval *e, uint32_t node)
{
    const uint32_t value = syntax_first(e->tree, node);
    const struct value *result = syntax_is(e->tree, value, SYN_ABSENT) || value == NONE
                                     ? values_of_kind(e->values, VALUE_NONE)
                                     : eval_get(e, value);
    if (e->files->functions[eval_function_id(e)].is_generator || without_cuda(e->tree, node))
        return;
    eval_fact(e, cell_of_result(eval_function_id(e)), result);
}

/* Expressions right below a node; targets are evaluated too, for the objects and indices in them. */
static void expressions_below(struct eval *e, uint32_t node)
{
    for (uint32_t child = syntax_first(e->tree, node); child != NONE; child = syntax_next(e->tree, child)) {
        const enum syntax_kind kind = e->tree->kind[child];
        if (kind != SYN_BLOCK && kind != SYN_ELSE && kind != SYN_FINALLY && !syntax_is_statement(kind))
            eval_expression(e, child);
    }
}

static void statement_facts(struct eval *e, uint32_t node)
{
    switch (e->tree->kind[node]) {
    case SYN_ASSIGN:
        assign_targets(e, node, syntax_last_child(e->tree, node));
        break;
    case SYN_ANN_ASSIGN:
        if (!syntax_is(e->tree, syntax_child(e->tree, node, 2), SYN_ABSENT))
            assign_part(e, syntax_first(e->tree, node), eval_get(e, syntax_child(e->tree, node, 2)));
        break;
    case SYN_AUG_ASSIGN: {
        const uint32_t target = syntax_first(e->tree, node);
        if (e->tree->kind[target] == SYN_ATTRIBUTE)
            assign_part(
                e, target,
                eval_binary(e, eval_get(e, target), eval_get(e, syntax_child(e->tree, node, 1)), e->tree->op[node]));
        break;
    }
    case SYN_EXPR:
        statement_call(e, syntax_first(e->tree, node));
        break;
    case SYN_RETURN:
        return_fact(e, node);
        break;
    case SYN_DECORATED:
        eval_decorators(e, node);
        break;
    default:
        break;
    }
}

static bool holds_no_expression(enum syntax_kind kind)
{
    return kind == SYN_BLOCK || kind == SYN_MODULE || kind == SYN_IMPORT || kind == SYN_FROM_IMPORT ||
           kind == SYN_GLOBAL || kind == SYN_NONLOCAL || kind == SYN_TRY || kind == SYN_PASS || kind == SYN_BREAK ||
           kind == SYN_CONTINUE || kind == SYN_OTHER;
}

static bool is_whole(enum syntax_kind kind) /* its nodes are all looked at when it is met */
{
    switch (kind) {
    case SYN_EXPR:
    case SYN_ASSIGN:
    case SYN_AUG_ASSIGN:
    case SYN_ANN_ASSIGN:
    case SYN_RETURN:
    case SYN_RAISE:
    case SYN_ASSERT:
    case SYN_DELETE:
    case SYN_IMPORT:
    case SYN_FROM_IMPORT:
        return true;
    default:
        return false;
    }
}

static void visit(struct eval *e, uint32_t node)
{
    const enum syntax_kind kind = e->tree->kind[node];
    settle_statement(e, node ? node - 1 : 0);
    if (kind == SYN_WHILE)
        settle_statement(e, node);
    if (!holds_no_expression(kind))
        expressions_below(e, node);
    statement_facts(e, node);
    settle_statement(e, node);
}

/* A nested function is evaluated on its own; here its defaults and bases are, and the name is bound. */
static void visit_definition(struct eval *e, uint32_t node)
{
    const struct syntax *tree = e->tree;
    settle_statement(e, node ? node - 1 : 0);
    const uint32_t list = syntax_child(tree, node, 1);
    if (tree->kind[node] == SYN_CLASS && list != NONE)
        eval_expression(e, list);
    for (uint32_t p = tree->kind[node] == SYN_FUNCTION ? syntax_first(tree, list) : NONE; p != NONE;
         p = syntax_next(tree, p)) {
        const uint32_t value = tree->kind[p] == SYN_PARAMETER ? syntax_child(tree, p, 2) : NONE;
        if (value != NONE)
            eval_expression(e, value);
    }
    settle_statement(e, node);
}

static void visit_all(struct eval *e, uint32_t first, uint32_t last)
{
    for (uint32_t node = first; node < last;) {
        const enum syntax_kind kind = e->tree->kind[node];
        if (kind == SYN_FUNCTION || kind == SYN_CLASS) {
            visit_definition(e, node);
            node = syntax_last(e->tree, node);
        } else if (syntax_is_statement(kind) || kind == SYN_WITH_ITEM || kind == SYN_EXCEPT || kind == SYN_CASE) {
            visit(e, node);
            node = is_whole(kind) ? syntax_last(e->tree, node) : node + 1;
        } else if (kind == SYN_BLOCK || kind == SYN_ELSE || kind == SYN_FINALLY) {
            node++;
        } else {
            node = syntax_last(e->tree, node);
        }
    }
}

/* Decorators stand outside: they are met as expressions of SYN_DECORATED. */
static void pass(struct eval *e)
{
    const uint32_t node = e->files->functions[eval_function_id(e)].node;
    const enum syntax_kind kind = e->tree->kind[node];
    e->changed = e->proved = false;
    e->cursor = e->file->function_first_def[e->function];
    for (uint32_t d = e->cursor; d < e->file->function_last_def[e->function]; d++)
        if (e->flow->defs[d].shown.kind == DEFINED_OUTSIDE)
            eval_settle(e, d);
    settle_statement(e, node);
    const uint32_t body = kind == SYN_MODULE ? 1 : syntax_last_child(e->tree, node);
    if (body != NONE)
        visit_all(e, body, kind == SYN_MODULE ? e->tree->count : syntax_last(e->tree, body));
    settle_statement(e, NONE - 1);
}

/* Variables that other functions see: all that is ever bound to them. */
static void share(struct eval *e)
{
    const uint32_t first = e->file->function_first_def[e->function], last = e->file->function_last_def[e->function];
    const struct function *f = &e->files->functions[eval_function_id(e)];
    const bool module = e->tree->kind[f->node] == SYN_MODULE, class_body = e->tree->kind[f->node] == SYN_CLASS;
    for (uint32_t d = first; d < last; d++) {
        const struct def *def = &e->flow->defs[d];
        const struct slot *slot = &e->flow->slots[def->slot];
        if (def->shown.kind == DEFINED_MEETING || def->shown.kind == DEFINED_OUTSIDE ||
            def->shown.kind == DEFINED_DELETE)
            continue;
        const struct value *value = eval_def(e, d);
        if (slot->outer != NONE)
            eval_fact(e, cell_of_slot(e->cells, e->file_id, slot->outer), eval_concrete(e, value, false));
        else if (module || slot->shared)
            eval_fact(e, cell_of_slot(e->cells, e->file_id, def->slot), eval_concrete(e, value, false));
        if (class_body && slot->outer == NONE && !slot->outside)
            eval_attribute_fact(e, f->class_id, slot->text, value);
    }
}

static const struct limit unsettled = {
    "function-passes",
    "what loops of a function carry around had not settled after 6 passes; it is taken as it was then"};

static void evaluate_function(struct eval *e, uint32_t f)
{
    const struct function *function = &e->files->functions[e->file->shown.first_function + f];
    if (e->tree->kind[function->node] == SYN_LAMBDA)
        return;
    e->function = f;
    uint32_t around = e->file->shown.first_function + f;
    while (around != NONE && e->files->functions[around].class_id == NONE)
        around = e->files->functions[around].outer;
    e->self_class = around == NONE ? NONE : e->files->functions[around].class_id;
    e->in_module = e->self_class != NONE && e->files->classes[e->self_class].is_module;
    if (e->self_class != NONE)
        eval_read(e, read_key_class(e->self_class));
    eval_given_by_framework(e);
    const size_t facts = e->own->facts.count, calls = e->own->calls.count;
    for (uint32_t d = e->file->function_first_def[f]; d < e->file->function_last_def[f]; d++)
        e->own->value_of_def[d] = value_nothing.id; /* what loops carried in the last round would stay for ever */
    for (int i = 0; i < PASSES; i++) {
        e->own->facts.count = facts;
        e->own->calls.count = calls;
        pass(e);
        if (!e->proved && (!e->changed || !e->file->function_loops[f]))
            break;
    }
    if (e->proved || (e->changed && e->file->function_loops[f]))
        eval_limit(e, &unsettled, function->node);
    share(e);
}

void eval_file(struct cells *cells, uint32_t id)
{
    struct file *file = &cells->files->at[id];
    struct eval e = {.cells = cells,
                     .files = cells->files,
                     .file = file,
                     .own = &cells->of_file[id],
                     .file_id = id,
                     .tree = file->shown.tree,
                     .flow = &file->flow,
                     .values = cells->values,
                     .names = cells->files->names};
    e.own->facts.count = 0;
    e.own->calls.count = 0;
    map_free(&e.own->reads);
    e.kept = mem_zeroed(NAMES_KEPT * sizeof *e.kept);
    for (uint32_t f = 0; f < file->function_count; f++)
        evaluate_function(&e, f);
    mem_free(e.kept);
}
