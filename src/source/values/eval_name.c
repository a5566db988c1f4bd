/* SPDX-License-Identifier: Apache-2.0 */
/* What names and attributes are: of modules, of classes of the run, of tensors; and devices by their names. */
#include "eval.h"
#include "source/known/frameworks.h"
#include "source/known/known_words.h"

/* ---- devices by name ---- */

static const struct value *device_value(struct eval *e, enum value_device device, uint8_t parameter)
{
    return values_get(e->values, &(struct value){.kind = VALUE_DEVICE,
                                                 .device = (uint8_t)device,
                                                 .parameter = parameter,
                                                 .flags = device == DEVICE_GPU ? VALUE_UPLOADED : 0,
                                                 .detail = NONE});
}

/* Text that may name a device keeps which one, so that torch.device("cuda" if ... else "cpu") can be told. */
const struct value *eval_string(struct eval *e, str text)
{
    while (text.len && (text.at[0] == 'f' || text.at[0] == 'u' || text.at[0] == 'r' || text.at[0] == 'b'))
        text = str_from(text, 1);
    while (text.len > 1 && (text.at[0] == '"' || text.at[0] == '\''))
        text = (str){text.at + 1, text.len - 2};
    struct value out = {.kind = VALUE_STR, .flags = VALUE_CONSTANT, .detail = NONE};
    const bool type = str_starts(text, S("torch.")) && str_ends(text, S("Tensor")); /* x.type("torch.FloatTensor") */
    if (str_eq(text, S("cpu")) || type)
        out.device = DEVICE_CPU;
    if (type && str_starts(text, S("torch.cuda."))) {
        out.device = DEVICE_GPU;
        out.flags |= VALUE_UPLOADED;
    }
    str rest = text, device;
    if (str_cut(&rest, ':', &device) && known_word(WORDS_ACCELERATOR, device)) {
        out.device = DEVICE_GPU;
        out.flags |= VALUE_UPLOADED;
    }
    return values_get(e->values, &out);
}

/* What is not known otherwise, and is called a device or a loader. */
const struct value *eval_by_convention(struct eval *e, str word, const struct value *value)
{
    const bool open = value->kind == VALUE_UNKNOWN || value->kind == VALUE_NOTHING;
    const bool moved = value->flags & VALUE_UPLOADED;
    const bool assumed = value->flags & VALUE_ASSUMED; /* on one way it is a device by its name, on another unknown */
    if (!open || (moved && !assumed))
        return value;
    if (known_word(WORDS_DEVICE, word))
        return values_get(e->values, &(struct value){.kind = VALUE_DEVICE,
                                                     .device = DEVICE_GPU,
                                                     .flags = VALUE_ASSUMED | VALUE_UPLOADED,
                                                     .detail = NONE});
    if (moved)
        return value;
    if (known_word(WORDS_LOADER, word))
        return eval_kind_of(e, VALUE_LOADER, VALUE_ASSUMED);
    return value;
}

struct device_named eval_device_named(struct eval *e, uint32_t node)
{
    const struct value *value = eval_get(e, node);
    switch (value->kind) {
    case VALUE_DEVICE:
    case VALUE_STR:
        return (struct device_named){value->device, value->parameter, value->kind == VALUE_DEVICE || value->device, 0};
    case VALUE_TENSOR:
        return (struct device_named){value->device, value->parameter, true, value->dtype};
    case VALUE_INT:
        return (struct device_named){DEVICE_GPU, 0, true, 0};
    case VALUE_DTYPE:
        return (struct device_named){DEVICE_UNKNOWN, 0, false, value->dtype};
    default:
        break;
    }
    const struct known *type = value->name ? value->name->known : NULL;
    if (type && type->special == SPECIAL_TENSOR) /* x.type(torch.cuda.FloatTensor) */
        return (struct device_named){type->device == ON_GPU ? DEVICE_GPU : DEVICE_CPU, 0, true, known_dtype_of(type)};
    const str tail = syntax_tail(e->tree, node);
    if (known_word(WORDS_DEVICE_NUMBER, tail))
        return (struct device_named){DEVICE_GPU, 0, true, 0};
    return (struct device_named){DEVICE_UNKNOWN, 0, false, 0};
}

/* ---- names and attributes ---- */

const struct value *eval_name_value(struct eval *e, uint32_t node)
{
    const uint32_t def = e->flow->def_of[node];
    if (def == NONE)
        return &value_unknown;
    const struct value *value = eval_def(e, def);
    return eval_by_convention(e, syntax_text(e->tree, node), value);
}

/* A name that a module has from `from x import *`; NULL. */
const struct value *eval_starred(struct eval *e, uint32_t id, str member)
{
    const struct stars *stars = &e->files->at[id].stars;
    for (size_t i = 0; i < stars->count; i++) {
        const struct star *star = &stars->at[i];
        if (star->file == NONE) {
            const struct name *name = eval_name(e, star->name, member);
            if (name->known && !eval_name(e, NULL, member)->known) /* what Python has itself it keeps */
                return values_get(e->values, &(struct value){.kind = VALUE_IMPORT, .detail = NONE, .name = name});
            continue;
        }
        const uint32_t slot = module_slot(e->files, star->file, eval_name(e, NULL, member));
        if (slot != NONE && module_exports(e->files, star->file, member))
            return eval_cell(e, cell_of_slot(e->cells, star->file, slot));
    }
    return NULL;
}

const struct value *eval_import(struct eval *e, uint32_t file)
{
    const struct name *name = names_get(e->names, e->files->at[file].shown.module);
    return values_get(e->values, &(struct value){.kind = VALUE_IMPORT, .detail = file, .name = name});
}

/* a.b where no file is the module a, but one is a.b; NONE. */
static uint32_t in_namespace(struct eval *e, const struct value *import, const struct name *name)
{
    const bool open = e->file->has_namespaces && import->detail == NONE;
    return open ? module_find(e->files, e->file_id, name->text) : NONE;
}

/* A name that __getattr__ of a module fetches from a file: what is called so there, or the file itself. */
static const struct value *fetched_member(struct eval *e, uint32_t file, str member)
{
    const uint32_t slot = module_slot(e->files, file, eval_name(e, NULL, member));
    return slot == NONE ? eval_import(e, file) : eval_cell(e, cell_of_slot(e->cells, file, slot));
}

/* torch.X, package.module, module.variable of the run. */
const struct value *eval_member(struct eval *e, const struct value *import, str member)
{
    const struct name *name = eval_name(e, import->name, member);
    if (import->detail != NONE && import->detail < e->files->count) {
        const struct value *starred = eval_starred(e, import->detail, member);
        const uint32_t slot = module_slot(e->files, import->detail, eval_name(e, NULL, member));
        if (slot != NONE)
            return eval_cell(e, cell_of_slot(e->cells, import->detail, slot));
        if (starred)
            return starred;
        const uint32_t fetched = module_lazy(e->files, import->detail, eval_name(e, NULL, member));
        if (fetched != NONE)
            return fetched_member(e, fetched, member);
        char dotted[256] = ".";
        const bool fits = member.len < sizeof dotted - 1;
        if (fits)
            memcpy(dotted + 1, member.at, member.len);
        else
            eval_tell_long_name(e, member);
        const uint32_t inner = fits ? module_find(e->files, import->detail, (str){dotted, member.len + 1}) : NONE;
        if (inner != NONE)
            return eval_import(e, inner);
    }
    const uint32_t file = map_get(&e->files->by_module, name->id);
    if (file != MAP_NONE && import->detail == NONE && !str_starts(name->text, S("torch.")))
        return values_get(e->values, &(struct value){.kind = VALUE_IMPORT, .detail = file, .name = name});
    const uint32_t inner = in_namespace(e, import, name);
    if (inner != NONE)
        return eval_import(e, inner);
    if (str_eq(import->name->text, S("torch")) && known_dtype_named(member))
        return values_get(
            e->values,
            &(struct value){.kind = VALUE_DTYPE, .dtype = known_dtype_named(member), .detail = NONE, .name = name});
    return values_get(e->values, &(struct value){.kind = VALUE_IMPORT, .detail = NONE, .name = name});
}

const struct value *eval_module_of(struct eval *e, uint32_t class_id, enum value_device device)
{
    const struct class_info *c = &e->files->classes[class_id];
    eval_read(e, read_key_class(class_id));
    const enum value_kind kind = c->is_module ? VALUE_MODULE : c->is_dataset ? VALUE_DATASET : VALUE_INSTANCE;
    return values_get(e->values, &(struct value){.kind = (uint8_t)kind,
                                                 .device = (uint8_t)(c->is_module ? device : DEVICE_UNKNOWN),
                                                 .detail = class_id});
}

static const struct value *method_value(struct eval *e, const struct value *object, str member)
{
    const char *type = known_type(object->kind);
    const bool of_framework = object->kind == VALUE_OTHER && object->name;
    if (!type && !of_framework)
        return NULL;
    const struct name *name = eval_name(e, of_framework ? object->name : eval_name(e, NULL, str_of(type)), member);
    return values_get(e->values, &(struct value){.kind = VALUE_FUNCTION, .detail = NONE, .name = name});
}

static const struct value *tensor_attribute(struct eval *e, uint32_t node, const struct value *object, str member)
{
    if (known_word(WORDS_TENSOR_PARTS, member)) {
        struct value out = *object;
        out.kind = object->kind == VALUE_BATCH ? VALUE_BATCH : VALUE_TENSOR;
        out.flags &= (uint16_t)~VALUE_FRESH;
        if (str_eq(member, S("data")))
            out.flags |= VALUE_DETACHED;
        return values_get(e->values, &out);
    }
    if (str_eq(member, S("device")))
        return device_value(e, object->device, object->parameter);
    if (str_eq(member, S("shape")))
        return values_container(e->values, VALUE_SHAPE, eval_kind_of(e, VALUE_INT, 0));
    if (str_eq(member, S("ndim")))
        return eval_kind_of(e, VALUE_INT, 0);
    if (str_eq(member, S("dtype")))
        return values_get(e->values, &(struct value){.kind = VALUE_DTYPE, .dtype = object->dtype, .detail = NONE});
    if (known_word(WORDS_TENSOR_ANSWERS, member))
        return eval_kind_of(e, VALUE_BOOL, 0);
    const uint32_t call = e->tree->parent[node];
    const bool called = syntax_is(e->tree, call, SYN_CALL) && node == call + 1;
    const bool known = known_find(eval_name(e, eval_name(e, NULL, S("torch.Tensor")), member)->text);
    if (object->flags & VALUE_ASSUMED && !known && !called) /* output.loss of a model that gives more than a tensor */
        return values_get(e->values, &(struct value){.kind = VALUE_UNKNOWN,
                                                     .device = object->device,
                                                     .parameter = object->parameter,
                                                     .flags = VALUE_ASSUMED,
                                                     .detail = NONE});
    return object->kind == VALUE_BATCH && !known ? object : method_value(e, object, member);
}

/* Names that libraries and Python have too: on something unknown they say nothing. */
static bool is_common_method(struct eval *e, str member)
{
    if (known_word(WORDS_OF_MANY_TYPES, member))
        return true;
    for (size_t i = 0; known_common_types[i]; i++)
        if (eval_name(e, eval_name(e, NULL, str_of(known_common_types[i])), member)->known)
            return true;
    return false;
}

/*
 * How many classes of the program have a method of the name, and one of them. Names that very many have do not count, and
 * more than few are not counted to their end.
 */
static uint32_t methods_in_program(struct eval *e, uint32_t call, uint32_t name, uint32_t *one)
{
    const uint32_t all = map_get(&e->files->method_count, name);
    uint32_t count = 0;
    if (all == MAP_NONE || all > 64)
        return 0;
    for (uint32_t f = map_get(&e->files->methods_by_name, name); f != MAP_NONE && count <= FEW_METHODS;
         f = e->files->next_of_name[f])
        if (e->files->at[e->files->functions[f].file].program == e->file->program && eval_call_fits(e, call, f)) {
            *one = f;
            count++;
        }
    return count;
}

/* A method that few classes of the run have, called on something of which the class is not known: one of those. */
static const struct value *few_methods(struct eval *e, uint32_t node, const struct value *object, str member)
{
    const bool of_run = object->kind == VALUE_INSTANCE;
    const uint32_t call = e->tree->parent[node];
    if (!syntax_is(e->tree, call, SYN_CALL) || node != call + 1 || object->device == DEVICE_CPU ||
        str_starts(member, S("__")))
        return NULL;
    uint32_t one = NONE;
    const uint32_t count = methods_in_program(e, call, eval_name(e, NULL, member)->id, &one);
    if (count == 0 || count > FEW_METHODS || (!of_run && is_common_method(e, member)))
        return NULL;
    if (count == 1)
        return values_get(e->values, &(struct value){.kind = VALUE_FUNCTION, .detail = one});
    return values_get(e->values,
                      &(struct value){.kind = VALUE_FUNCTION,
                                      .detail = NONE,
                                      .name = eval_name(e, eval_name(e, NULL, S(FEW_METHODS_PREFIX)), member)});
}

/* data.x of data.to(device), model.head of a model there: a part lies where the whole does, if it is a tensor at all. */
static const struct value *part_of(struct eval *e, const struct value *object)
{
    return values_get(
        e->values,
        &(struct value){.kind = VALUE_UNKNOWN,
                        .device = object->device,
                        .parameter = object->parameter,
                        .flags = (uint16_t)(VALUE_ASSUMED | (object->flags & (VALUE_UPLOADED | VALUE_FROM_LOADER))),
                        .detail = NONE});
}

/* An attribute, not called, of a module of which the class is not known. */
static bool is_part(struct eval *e, uint32_t node, const struct value *object)
{
    const uint32_t call = e->tree->parent[node];
    const bool called = syntax_is(e->tree, call, SYN_CALL) && node == call + 1;
    return object->kind == VALUE_MODULE && object->detail == NONE && !object->name &&
           object->device != DEVICE_UNKNOWN && object->device != DEVICE_CPU && !called;
}

static const struct value *unknown_attribute(struct eval *e, uint32_t node, const struct value *object, str member)
{
    const str holder = syntax_tail(e->tree, syntax_first(e->tree, node));
    if (str_eq(member, S("device")) && object->device != DEVICE_UNKNOWN && !known_word(WORDS_SETTINGS, holder))
        return device_value(e, object->device, object->parameter);
    const bool argument = object->kind == VALUE_NOTHING && object->device == DEVICE_PARAMETER; /* nobody knows what */
    if (object->device != DEVICE_UNKNOWN) {
        const struct value *method = method_value(e, &(struct value){.kind = VALUE_TENSOR}, member);
        const bool part = known_word(WORDS_TENSOR_PARTS, member);
        const bool of_dict = str_eq(member, S("values")); /* rather than of a sparse tensor */
        if (!of_dict && !argument && (method->name->known || part))
            return part ? object : method;
        if (method->name->known && method->name->known->special >= SPECIAL_TO &&
            method->name->known->special <= SPECIAL_PIN)
            return method;
    }
    const struct value *only = few_methods(e, node, object, member);
    if (only)
        return only;
    const uint32_t call = e->tree->parent[node];
    const bool called = syntax_is(e->tree, call, SYN_CALL) && node == call + 1;
    if (!called && object->device != DEVICE_UNKNOWN && !known_word(WORDS_SETTINGS, holder))
        return eval_by_convention(e, member, part_of(e, object));
    if (!called)
        return eval_by_convention(e, member, &value_unknown);
    if (known_word(WORDS_ALWAYS_OF_TENSORS, member))
        return method_value(e, &(struct value){.kind = VALUE_TENSOR}, member);
    return eval_by_convention(e, member, &value_unknown);
}

/* An expression on a device of which .item(), .cpu() ... is called is a tensor: it says so from then on. */
static const struct value *proven_object(struct eval *e, uint32_t node, const struct value *object, str member)
{
    const bool open =
        (object->kind == VALUE_UNKNOWN || object->kind == VALUE_BATCH) && object->device != DEVICE_UNKNOWN;
    const uint32_t call = e->tree->parent[node], at = syntax_first(e->tree, node);
    if (!open || e->tree->kind[at] == SYN_NAME || !syntax_is(e->tree, call, SYN_CALL) || node != call + 1)
        return object;
    const bool part = e->tree->kind[at] == SYN_SUBSCRIPT && str_eq(member, S("to"));
    if (!part && !known_word(WORDS_PROVE_TENSOR, member))
        return object;
    struct value tensor = *object;
    tensor.kind = VALUE_TENSOR;
    object = values_get(e->values, &tensor);
    eval_set(e, at, object);
    return object;
}

/* optimizer.param_groups: dicts, whose "params" are parameters of the model. Only optimizers have such an attribute. */
static const struct value *parameter_groups(struct eval *e)
{
    const bool on_gpu = program_of(e->cells, e->file_id)->model_on_gpu;
    const struct value *tensor =
        values_get(e->values, &(struct value){.kind = VALUE_TENSOR,
                                              .device = on_gpu ? DEVICE_GPU : DEVICE_UNKNOWN,
                                              .rank = RANK_SOME,
                                              .flags = VALUE_PARAMETER | VALUE_GRAD | (on_gpu ? VALUE_ASSUMED : 0),
                                              .detail = NONE});
    const struct value *list = values_container(e->values, VALUE_LIST, tensor);
    struct value group = *values_container(e->values, VALUE_DICT, list);
    group.flags |= VALUE_PARAMETER;
    return values_container(e->values, VALUE_LIST, values_get(e->values, &group));
}

static bool is_groups(const struct value *object, str member)
{
    const bool open = object->kind == VALUE_OPTIMIZER || object->kind == VALUE_UNKNOWN ||
                      object->kind == VALUE_INSTANCE || object->kind == VALUE_NOTHING;
    return open && str_eq(member, S("param_groups"));
}

/* self.compute_loss of a class that has it from a framework; NULL where the table does not know the method. */
static const struct value *framework_method(struct eval *e, uint32_t class_id, str member)
{
    const struct framework *framework = e->files->classes[class_id].framework;
    if (!framework)
        return NULL;
    str bases = str_of(framework->bases), first;
    str_cut(&bases, ' ', &first);
    const struct name *name = eval_name(e, eval_name(e, NULL, first), member);
    return name->known ? values_get(e->values, &(struct value){.kind = VALUE_FUNCTION, .detail = NONE, .name = name})
                       : NULL;
}

const struct value *eval_attribute(struct eval *e, uint32_t node)
{
    const str member = syntax_text(e->tree, syntax_child(e->tree, node, 1));
    const struct value *object = proven_object(e, node, eval_get(e, syntax_first(e->tree, node)), member);
    const bool of_run = object->detail != NONE;
    if (is_groups(object, member))
        return parameter_groups(e);
    const struct value *by_super = eval_super_attribute(e, node, member);
    if (by_super != &value_nothing)
        return by_super;
    switch (object->kind) {
    case VALUE_IMPORT:
        return object->name ? eval_member(e, object, member) : &value_unknown;
    case VALUE_FUNCTION: /* an unbound name: a builtin type, or a module that is not imported in sight */
        return object->name && !of_run
                   ? values_get(e->values, &(struct value){.kind = VALUE_FUNCTION,
                                                           .detail = NONE,
                                                           .name = eval_name(e, object->name, member)})
                   : &value_unknown;
    case VALUE_TENSOR:
    case VALUE_BATCH:
        return tensor_attribute(e, node, object, member);
    case VALUE_MODULE:
    case VALUE_INSTANCE:
    case VALUE_DATASET:
    case VALUE_CLASS: {
        const struct value *value = eval_attribute_of_class(e, node, object, member);
        if (value->kind != VALUE_NOTHING && value->kind != VALUE_UNKNOWN)
            return value;
        const struct value *inherited = of_run ? framework_method(e, object->detail, member) : NULL;
        if (inherited)
            return inherited;
        const struct value *held =
            of_run && value == &value_nothing ? eval_held_by_framework(e, object->detail, member) : NULL;
        if (held)
            return held;
        const bool classless = object->kind == VALUE_MODULE || object->kind == VALUE_INSTANCE;
        const struct value *only =
            classless && !of_run && !value_of_run(object) ? few_methods(e, node, object, member) : NULL;
        if (only)
            return only;
        const struct value *method = object->kind == VALUE_MODULE ? method_value(e, object, member) : NULL;
        if (method && method->name->known && method->name->known->kind != VALUE_UNKNOWN && value == &value_nothing)
            return method;
        if (object->kind == VALUE_MODULE && value == &value_nothing && known_word(WORDS_MODULE_TENSORS, member))
            return values_get(e->values, &(struct value){.kind = VALUE_TENSOR,
                                                         .device = object->device,
                                                         .parameter = object->parameter,
                                                         .rank = RANK_SOME,
                                                         .flags = VALUE_PARAMETER | VALUE_GRAD,
                                                         .detail = NONE});
        if (is_part(e, node, object))
            return eval_by_convention(e, member, part_of(e, object));
        return eval_by_convention(e, member, value == &value_nothing ? &value_unknown : value);
    }
    case VALUE_ARRAY:
        if (str_eq(member, S("T")))
            return object;
        if (str_eq(member, S("shape")))
            return values_container(e->values, VALUE_SHAPE, eval_kind_of(e, VALUE_INT, 0));
        if (str_eq(member, S("size")) || str_eq(member, S("ndim")))
            return eval_kind_of(e, VALUE_INT, 0);
        break;
    case VALUE_UNKNOWN:
    case VALUE_NOTHING:
        return unknown_attribute(e, node, object, member);
    default:
        break;
    }
    const bool of_framework = object->kind == VALUE_OTHER && object->name;
    if (of_framework && !(syntax_is(e->tree, e->tree->parent[node], SYN_CALL) && node == e->tree->parent[node] + 1)) {
        const struct value *held = eval_framework_attribute(e, object, member);
        return held ? held : eval_by_convention(e, member, &value_unknown); /* accelerator.device */
    }
    const struct value *method = method_value(e, object, member);
    return method ? method : eval_by_convention(e, member, &value_unknown);
}
