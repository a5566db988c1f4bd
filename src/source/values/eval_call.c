/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: which function is reached, what it is given, and what comes back. */
#include "eval.h"

#include "base/mem.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"

const struct value *value_substitute(struct eval *e, const struct value *value, const struct value *const *given,
                                     uint32_t count)
{
    if (!value_symbolic(value))
        return value;
    const bool whole = value->kind == VALUE_NOTHING; /* the argument itself, perhaps moved */
    const struct value *argument =
        (whole || value->device == DEVICE_PARAMETER) && value->parameter < count ? given[value->parameter] : NULL;
    if (argument && whole)
        return value->device == DEVICE_PARAMETER ? argument : eval_move_to(e, argument, value->device, 0);
    struct value out = *value;
    const struct value *room[64];
    if (whole)
        out.kind = VALUE_UNKNOWN;
    if (value->device == DEVICE_PARAMETER) {
        out.device = argument ? argument->device : DEVICE_UNKNOWN;
        out.parameter = argument ? argument->parameter : 0;
        if (argument)
            out.flags |= argument->flags & (VALUE_UPLOADED | VALUE_FROM_LOADER | VALUE_ASSUMED);
    }
    for (uint32_t i = 0; i < value_item_slots(value); i++)
        room[i] = value_substitute(e, value->items[i], given, count);
    out.items = value->items ? room : NULL;
    return values_get(e->values, &out);
}

/* ---- arguments ---- */

struct binding {
    const struct value *given[SUMMARY_PARAMETERS];
    uint32_t count;
    bool moved; /* to the device, on the way */
};

/* A function that gives itself what it is given says nothing of what that is. */
static bool is_handed_on(const struct eval *e, uint32_t function, uint32_t k, const struct value *given)
{
    return function == eval_function_id(e) && given->device == DEVICE_PARAMETER && given->parameter == k;
}

static void bind_arguments(struct eval *e, uint32_t call, uint32_t function, uint32_t self, struct binding *binding)
{
    const uint32_t list = syntax_child(e->tree, call, 1);
    uint32_t position = 0;
    bool hidden = false;
    for (uint32_t a = syntax_first(e->tree, list); a != NONE; a = syntax_next(e->tree, a)) {
        const enum syntax_kind kind = e->tree->kind[a];
        hidden |= kind == SYN_STARRED;
        if (kind == SYN_STARRED || kind == SYN_DOUBLE_STARRED || (hidden && kind != SYN_KEYWORD))
            continue;
        const uint32_t k = call_parameter_of(e->files, function, e->tree, a, position, self);
        position += kind != SYN_KEYWORD;
        if (k == NONE || k >= SUMMARY_PARAMETERS)
            continue;
        const struct value *given = eval_get(e, a);
        binding->given[k] = binding->moved ? eval_move_to(e, given, DEVICE_GPU, 0) : given;
        binding->count = k + 1 > binding->count ? k + 1 : binding->count;
        if (is_handed_on(e, function, k, binding->given[k]))
            continue;
        if (!e->file->is_test || e->files->at[e->files->functions[function].file].is_test)
            eval_fact(e, cell_of_parameter(e->cells, function, k), eval_concrete(e, binding->given[k], false));
    }
}

static void record(struct eval *e, uint32_t call, uint32_t target, uint32_t self)
{
    struct calls *calls = &e->own->calls;
    calls->at = mem_grow(calls->at, &calls->room, calls->count + 1, sizeof *calls->at);
    calls->at[calls->count++] = (struct call){call, eval_function_id(e), target, self};
}

/* ---- what is called ---- */

/* What functools.partial gave a function before. */
static uint32_t bind_given(const struct value *callee, uint32_t self, struct binding *binding)
{
    for (uint32_t i = 0; callee && i < value_item_slots(callee) && self < SUMMARY_PARAMETERS; i++)
        binding->given[self++] = callee->items[i];
    binding->count = self;
    return self;
}

/* `callee`: the value that is called, where it is that function; NULL. `moved`: what it is given is put on the device. */
static const struct value *call_given(struct eval *e, uint32_t call, uint32_t function, const struct value *object,
                                      const struct value *callee, bool moved)
{
    const struct function *f = &e->files->functions[function];
    uint32_t self = object && f->class_id != NONE && !f->is_static ? 1 : 0;
    struct binding binding = {.given = {self ? object : NULL}, .moved = moved};
    self = bind_given(callee, self, &binding);
    record(e, call, function, self);
    if (e->cells->defaults.set_by[function] && f->class_id == NONE && !e->cells->defaults.set_by[eval_function_id(e)])
        eval_fact(e, FACT_SETS_DEFAULT - (int64_t)eval_function_id(e), &value_unknown);
    bind_arguments(e, call, function, self, &binding);
    const struct value *result =
        value_substitute(e, eval_cell(e, cell_of_result(function)), binding.given, binding.count);
    if (result->kind == VALUE_MODULE && result->device == DEVICE_GPU && result->detail != NONE)
        eval_class_on_gpu(e, result->detail); /* a wrapper has moved it */
    return result;
}

static const struct value *call_function(struct eval *e, uint32_t call, uint32_t function, const struct value *object)
{
    return call_given(e, call, function, object, NULL, false);
}

/* The object of `object.method`, where the method is bound to it: not for Class.method. */
static const struct value *bound_object(struct eval *e, uint32_t callee)
{
    if (e->tree->kind[callee] != SYN_ATTRIBUTE)
        return NULL;
    const struct value *object = eval_get(e, syntax_first(e->tree, callee));
    const bool of_framework = object->kind == VALUE_OTHER && object->name; /* its methods are as functions */
    return object->kind == VALUE_CLASS || object->kind == VALUE_IMPORT || of_framework ? NULL : object;
}

static const struct value *make_instance(struct eval *e, uint32_t call, uint32_t class_id)
{
    const enum value_device device = e->in_module                         ? DEVICE_PARAMETER
                                     : e->cells->classes[class_id].on_gpu ? DEVICE_GPU
                                                                          : DEVICE_CPU;
    const struct value *made = eval_module_of(e, class_id, device);
    eval_hand_to_framework(e, call, e->files->classes[class_id].framework);
    eval_class_made(e, class_id);
    const uint32_t init = class_method(e->cells, class_id, S("__init__"));
    if (init != NONE)
        call_function(e, call, init, made);
    else
        eval_fields(e, call, class_id);
    if (e->in_module && e->cells->classes[e->self_class].on_gpu && e->files->classes[class_id].is_module)
        eval_class_on_gpu(e, class_id);
    return made;
}

static bool has_gpu_argument(struct eval *e, uint32_t call, struct value *out)
{
    const uint32_t list = syntax_child(e->tree, call, 1);
    bool symbolic = false;
    for (uint32_t a = syntax_first(e->tree, list); a != NONE; a = syntax_next(e->tree, a)) {
        const struct value *value = eval_get(e, a);
        if (!value_device_matters(value) || value->kind == VALUE_DEVICE)
            continue;
        if (value->device == DEVICE_GPU) {
            out->device = DEVICE_GPU;
            return true;
        }
        if (value->device == DEVICE_PARAMETER && value->kind == VALUE_TENSOR && !symbolic) {
            out->device = DEVICE_PARAMETER;
            out->parameter = value->parameter;
            symbolic = true;
        }
    }
    return symbolic;
}

/* Tensors through a module of a library: where the module is, which is where they are. */
static const struct value *call_library_module(struct eval *e, uint32_t call, const struct value *module)
{
    struct value out = {.kind = VALUE_TENSOR, .device = module->device, .parameter = module->parameter, .detail = NONE};
    out.flags = VALUE_GRAD;
    out.dtype = DTYPE_FLOAT32;
    const uint32_t first = syntax_argument(e->tree, call, 0, NULL);
    if (first != NONE)
        eval_prove_tensor(e, first);
    struct value place = {0};
    if (has_gpu_argument(e, call, &place) &&
        (place.device == DEVICE_GPU || module->device == DEVICE_UNKNOWN || module->device == DEVICE_CPU)) {
        out.device = place.device;
        out.parameter = place.parameter;
    }
    if (module->kind == VALUE_LOSS) {
        out.rank = module->rank;
    } else if (!module->name) { /* nobody knows which: it may give several */
        out.flags |= VALUE_ASSUMED;
    } else {
        const str last = eval_last_part(module->name->text);
        const struct value *tensor = values_get(e->values, &out);
        if (known_word(WORDS_GIVE_STATE, last))
            return values_tuple(e->values, VALUE_TUPLE, (const struct value *[]){tensor, tensor}, 2);
        if (known_word(WORDS_GIVE_TWO_STATES, last)) {
            const struct value *state =
                values_tuple(e->values, VALUE_TUPLE, (const struct value *[]){tensor, tensor}, 2);
            return values_tuple(e->values, VALUE_TUPLE, (const struct value *[]){tensor, state}, 2);
        }
        out.rank = RANK_SOME;
    }
    return values_get(e->values, &out);
}

/* What a module on the device gives is there, as long as nothing says otherwise. */
static const struct value *assumed_there(struct eval *e, const struct value *result, const struct value *module)
{
    struct value out = *result;
    const bool open =
        result->device == DEVICE_UNKNOWN && (result->kind == VALUE_TENSOR || result->kind == VALUE_UNKNOWN);
    if (!open || module->device == DEVICE_UNKNOWN || module->device == DEVICE_CPU)
        return result;
    out.device = module->device;
    out.parameter = module->parameter;
    out.flags |= VALUE_ASSUMED;
    return values_get(e->values, &out);
}

static const struct value *call_module(struct eval *e, uint32_t call, const struct value *module)
{
    struct value place = {0};
    if (has_gpu_argument(e, call, &place) && place.device == DEVICE_GPU) { /* it takes tensors there: it is there */
        if (module->detail != NONE)
            eval_class_on_gpu(e, module->detail);
        else if (!module->name)
            eval_fact(e, FACT_MODULE_MOVED, &value_unknown);
    }
    const uint32_t forward =
        module->detail == NONE
            ? NONE
            : class_method(e->cells, module->detail, frameworks_forward(e->files->classes[module->detail].framework));
    if (forward == NONE)
        return call_library_module(e, call, module);
    if (place.device == DEVICE_GPU && module->device != DEVICE_GPU)
        module = values_on(e->values, module, DEVICE_GPU, 0, 0);
    const struct framework *framework = e->files->classes[module->detail].framework;
    const bool moved = framework && framework->moves_input && !program_of(e->cells, e->file_id)->host_only;
    return assumed_there(e, call_given(e, call, forward, module, NULL, moved), module);
}

/* batch.transpose(0, 1).contiguous(): a method that tensors alone have and no class of the run gives a tensor. */
static bool gives_tensor(struct eval *e, uint32_t callee)
{
    if (e->tree->kind[callee] != SYN_ATTRIBUTE)
        return false;
    const str member = syntax_tail(e->tree, callee);
    const struct known *known = eval_name(e, eval_name(e, NULL, S("torch.Tensor")), member)->known;
    return known && known->kind == VALUE_TENSOR && known_word(WORDS_ONLY_TENSORS_HAVE, member) &&
           map_get(&e->files->method_count, eval_name(e, NULL, member)->id) == MAP_NONE;
}

/* Nothing is known of the callee. What it makes of tensors on the GPU is assumed there too, if it is a tensor at all. */
static const struct value *call_unknown(struct eval *e, uint32_t call)
{
    struct value out = {.kind = VALUE_UNKNOWN, .flags = VALUE_ASSUMED, .detail = NONE};
    const struct value *object = bound_object(e, syntax_first(e->tree, call));
    if (gives_tensor(e, syntax_first(e->tree, call)))
        return values_get(e->values, &(struct value){.kind = VALUE_TENSOR,
                                                     .device = object ? object->device : DEVICE_UNKNOWN,
                                                     .parameter = object ? object->parameter : 0,
                                                     .flags = VALUE_ASSUMED,
                                                     .detail = NONE});
    if (object && object->device == DEVICE_GPU && (object->kind == VALUE_UNKNOWN || object->kind == VALUE_MODULE)) {
        out.device = DEVICE_GPU;
        return values_get(e->values, &out);
    }
    return has_gpu_argument(e, call, &out) ? values_get(e->values, &out) : &value_unknown;
}

static bool listed(const str *names, uint32_t count, str name)
{
    for (uint32_t i = 0; i < count; i++)
        if (str_eq(name, names[i]) ||
            (str_ends(name, names[i]) && name.len > names[i].len && name.at[name.len - names[i].len - 1] == '.'))
            return true;
    return false;
}

static const struct value *call_configured(struct eval *e, uint32_t call, str name)
{
    const struct project_options *options = &e->cells->options;
    const uint32_t first = syntax_argument(e->tree, call, 0, NULL);
    if (first == NONE)
        return NULL;
    if (listed(options->uploads, options->upload_count, name))
        return eval_move_to(e, eval_get(e, first), DEVICE_GPU, 0);
    if (listed(options->downloads, options->download_count, name))
        return eval_move_to(e, eval_get(e, first), DEVICE_CPU, 0);
    return NULL;
}

/* A function or class of a package that may be written for tensors: none of Python's own, none that works on the host. */
static bool may_take_tensors(str name)
{
    str rest = name, package;
    return str_cut(&rest, '.', &package) && package.len && !known_word(WORDS_PYTHON_MODULE, package) &&
           !known_word(WORDS_HOST_LIBRARIES, package);
}

/* SE3(poses), SE3.exp(x): what a library that nobody knows makes of tensors lies where they do, if it holds any. */
static const struct value *made_of_tensors(struct eval *e, uint32_t call, const struct value *callee)
{
    struct value out = {.kind = VALUE_UNKNOWN, .flags = VALUE_ASSUMED, .detail = NONE};
    const bool may = callee->kind == VALUE_IMPORT && callee->detail == NONE && may_take_tensors(callee->name->text);
    return may && has_gpu_argument(e, call, &out) ? values_get(e->values, &out) : &value_unknown;
}

/* Functions of libraries that the table does not have. */
static const struct value *call_foreign(struct eval *e, uint32_t call, const struct value *callee)
{
    const str name = callee->name ? callee->name->text : S("");
    const str last = eval_last_part(name);
    const struct value *named = eval_made_by_name(e, call, name);
    if (named)
        return named;
    if (known_word(WORDS_WRITERS, last))
        return values_of_kind(e->values, VALUE_WRITER);
    const struct value *object = bound_object(e, syntax_first(e->tree, call));
    if (object && str_starts(name, S("torch.Tensor."))) /* a method that the table does not have */
        return values_get(e->values, &(struct value){.kind = VALUE_UNKNOWN,
                                                     .device = object->device,
                                                     .parameter = object->parameter,
                                                     .flags = VALUE_ASSUMED,
                                                     .detail = NONE});
    if (known_word(WORDS_TENSOR_LIBRARIES, name)) {
        struct value out = {.kind = VALUE_TENSOR, .detail = NONE};
        if (has_gpu_argument(e, call, &out))
            return values_get(e->values, &out);
        return &value_unknown;
    }
    return made_of_tensors(e, call, callee);
}

/* A function that was found by its name alone: its device, where the function leaves it open, as of any unknown one. */
static const struct value *as_if_unknown(struct eval *e, uint32_t call, const struct value *result)
{
    const struct value *guess = call_unknown(e, call);
    const bool open =
        result->device == DEVICE_UNKNOWN && (result->kind == VALUE_TENSOR || result->kind == VALUE_UNKNOWN);
    if (!open || guess->device == DEVICE_UNKNOWN)
        return result;
    struct value out = *result;
    out.device = guess->device;
    out.parameter = guess->parameter;
    out.flags |= VALUE_ASSUMED;
    return values_get(e->values, &out);
}

/* Whether the call gives a method as many arguments as it takes. */
bool eval_call_fits(const struct eval *e, uint32_t call, uint32_t function)
{
    const struct function *f = &e->files->functions[function];
    const struct syntax *there = e->files->at[f->file].shown.tree;
    const uint32_t list = scope_parameters(there, f->node);
    uint32_t given = !f->is_static, needed = 0, most = 0;
    for (uint32_t a = syntax_first(e->tree, syntax_child(e->tree, call, 1)); a != NONE; a = syntax_next(e->tree, a)) {
        if (e->tree->kind[a] == SYN_STARRED || e->tree->kind[a] == SYN_DOUBLE_STARRED)
            return true;
        given++;
    }
    for (uint32_t p = syntax_first(there, list); p != NONE; p = syntax_next(there, p)) {
        if (there->kind[p] != SYN_PARAMETER || syntax_is(there, syntax_first(there, p), SYN_ABSENT))
            continue;
        if (there->op[p])
            most = NONE;
        else if (most != NONE)
            most++;
        needed += !there->op[p] && syntax_is(there, syntax_child(there, p, 2), SYN_ABSENT);
    }
    return given >= needed && given <= most;
}

/* Any of the methods of that name that takes so many arguments. */
static const struct value *call_few(struct eval *e, uint32_t call, str member, const struct value *object)
{
    const struct value *joined = &value_nothing;
    uint32_t f = map_get(&e->files->methods_by_name, names_get(e->names, member)->id);
    for (; f != MAP_NONE; f = e->files->next_of_name[f]) {
        const struct function *function = &e->files->functions[f];
        const bool other = e->files->at[function->file].program != e->file->program;
        if (other || !eval_call_fits(e, call, f))
            continue;
        struct value self_value = *eval_module_of(e, function->class_id, object ? object->device : DEVICE_UNKNOWN);
        self_value.parameter = object ? object->parameter : 0;
        const struct value *self = values_get(e->values, &self_value);
        joined = values_join(e->values, joined, call_function(e, call, f, self), JOIN_WAYS);
    }
    return as_if_unknown(e, call, joined == &value_nothing ? &value_unknown : joined);
}

/* What was moved to the device and is called is a module, most likely: what it gives lies there, if it is a tensor. */
static const struct value *call_moved(struct eval *e, uint32_t call, const struct value *callee)
{
    const bool moved = callee->device == DEVICE_GPU && callee->flags & VALUE_UPLOADED;
    return moved ? values_get(e->values, &(struct value){.kind = VALUE_UNKNOWN,
                                                         .device = DEVICE_GPU,
                                                         .flags = VALUE_ASSUMED | VALUE_GRAD,
                                                         .detail = NONE})
                 : call_unknown(e, call);
}

/* A method that was kept under a name is bound to its object, whichever that was. */
static const struct value *object_of_method(struct eval *e, uint32_t callee, uint32_t function)
{
    const struct value *object = bound_object(e, callee);
    const struct function *f = &e->files->functions[function];
    const uint32_t class_id = f->class_id;
    if (object || e->tree->kind[callee] == SYN_ATTRIBUTE || class_id == NONE || f->is_static)
        return object;
    return eval_module_of(e, class_id, e->cells->classes[class_id].on_gpu ? DEVICE_GPU : DEVICE_UNKNOWN);
}

static const struct value *call_one(struct eval *e, uint32_t call, const struct value *callee)
{
    const uint32_t node = syntax_first(e->tree, call);
    if (callee->kind == VALUE_CLASS)
        return make_instance(e, call, callee->detail);
    if (callee->kind == VALUE_INSTANCE) {
        const uint32_t method = class_method(e->cells, callee->detail, S("__call__"));
        return method == NONE ? call_unknown(e, call) : call_function(e, call, method, callee);
    }
    const struct value *object = object_of_method(e, node, callee->detail);
    const struct value *result = call_given(e, call, callee->detail, object, callee, false);
    return object && object->detail == NONE && !object->items && object->kind != VALUE_INSTANCE
               ? as_if_unknown(e, call, result)
               : result;
}

/* One of several functions, classes or objects: what any of them gives. */
static const struct value *call_of_run(struct eval *e, uint32_t call, const struct value *callee)
{
    static const struct limit many = {
        "many-callees", "one of more than 32 functions or classes is called; which they are is not known"};
    if (value_is_one_of_too_many(callee)) {
        eval_limit(e, &many, call);
        return call_unknown(e, call);
    }
    if (callee->detail != NONE)
        return call_one(e, call, callee);
    const struct value *joined = &value_nothing;
    for (uint32_t i = 0; i < callee->item_count; i++)
        joined = values_join(e->values, joined, call_one(e, call, callee->items[i]), JOIN_WAYS);
    return as_if_unknown(e, call, joined);
}

/* Net.from_pretrained(name), Net.from_config(config): a network of the class, by a method that a library gives it. */
static const struct value *made_by_library(struct eval *e, uint32_t call, const struct value *callee)
{
    const uint32_t node = syntax_first(e->tree, call);
    const struct value *class_value =
        e->tree->kind[node] == SYN_ATTRIBUTE ? eval_get(e, syntax_first(e->tree, node)) : &value_unknown;
    const str name = syntax_tail(e->tree, node);
    const bool makes = str_starts(name, S("from_")) || str_eq(name, S("load_from_checkpoint"));
    if (!makes || callee->kind != VALUE_UNKNOWN || class_value->kind != VALUE_CLASS || class_value->detail == NONE ||
        !e->files->classes[class_value->detail].is_module)
        return NULL;
    eval_class_made(e, class_value->detail);
    return eval_module_of(e, class_value->detail,
                          e->cells->classes[class_value->detail].on_gpu ? DEVICE_GPU : DEVICE_CPU);
}

const struct value *eval_call(struct eval *e, uint32_t call)
{
    const uint32_t node = syntax_first(e->tree, call);
    const struct value *callee = eval_get(e, node);
    const struct value *configured = call_configured(e, call, syntax_tail(e->tree, node));
    if (configured)
        return configured;
    if (value_of_run(callee))
        return call_of_run(e, call, callee);
    const struct value *made = made_by_library(e, call, callee);
    if (made)
        return made;
    switch (callee->kind) {
    case VALUE_FUNCTION:
        break;
    case VALUE_CLASS:
        return &value_unknown;
    case VALUE_MODULE:
    case VALUE_LOSS:
        return call_module(e, call, callee);
    case VALUE_UNKNOWN:
        return call_moved(e, call, callee);
    case VALUE_BATCH: /* a method of a batch, whatever that is, gives parts of it */
        if (str_eq(syntax_tail(e->tree, node), S("items")))
            return values_container(
                e->values, VALUE_ITERATOR,
                values_tuple(e->values, VALUE_TUPLE, (const struct value *[]){&value_unknown, callee}, 2));
        return callee;
    case VALUE_DTYPE:
    case VALUE_IMPORT:
        break;
    default:
        return call_unknown(e, call);
    }
    if (!callee->name)
        return &value_unknown;
    if (str_starts(callee->name->text, S(FEW_METHODS_PREFIX ".")))
        return call_few(e, call, str_from(callee->name->text, 2), bound_object(e, node));
    if (callee->name->known)
        return eval_known(e, call, callee->name->known, bound_object(e, node));
    return call_foreign(e, call, callee);
}
