/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: torch 2.13 (file:line in the package), lightning 2.6, pytorch-ignite 0.5.5; what was measured there on a CPU by the operators that
 * a dispatch mode sees is marked so. */
#include "waits.h"

static const struct wait rows[] = {
    /* torch/nn/utils/clip_grad.py:109 */
    {"torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_norm", WAITS_ALWAYS, "error_if_nonfinite=True", NULL, 0,
     "asks whether the norm is finite", "leave error_if_nonfinite out"},
    /* lightning/fabric/fabric.py:534: the default is True */
    {"lightning.Fabric.clip_gradients", WAITS_ALWAYS, "max_norm", "error_if_nonfinite=False", 0,
     "asks whether the norm is finite, by default", "give error_if_nonfinite=False"},
    /* torch/amp/grad_scaler.py:566 */
    {"torch.cuda.amp.GradScaler.get_scale", WAITS_ALWAYS, NULL, NULL, 0, "reads the scale back",
     "leave it out, or ask every few steps"},
    /* aten/src/ATen/native/Onehot.cpp */
    {"torch.nn.functional.one_hot", WAITS_FOR_FIRST, NULL, "num_classes", 2, "looks for the largest class",
     "give num_classes"},
    /* measured: value.item() */
    {"torch.full", WAITS_FOR_SECOND, NULL, NULL, 0, "reads the value back that it fills in",
     "use .expand() or torch.full_like(..).copy_() on the device"},
    /* measured: an item() an element, and the result lies on the host */
    {"torch.tensor torch.as_tensor", WAITS_FOR_ITEM, NULL, NULL, 0, "reads each tensor of the list back",
     "use torch.stack"},
    /* _linalg_check_errors, measured; the _ex forms have no check, and eigh, svd and lstsq no such form */
    {"torch.linalg.cholesky torch.linalg.inv torch.linalg.solve torch.inverse torch.cholesky", WAITS_FOR_ANY, NULL,
     NULL, 0, "asks whether it has failed", "use cholesky_ex, inv_ex or solve_ex and look at info later"},
    /* torch/distributions/distribution.py:76: a check a parameter */
    {"torch.distributions.Categorical torch.distributions.Normal torch.distributions.Bernoulli "
     "torch.distributions.Beta torch.distributions.Gamma torch.distributions.Dirichlet "
     "torch.distributions.Multinomial torch.distributions.MultivariateNormal torch.distributions.Uniform "
     "torch.distributions.Exponential torch.distributions.Laplace torch.distributions.LogNormal "
     "torch.distributions.OneHotCategorical torch.distributions.Poisson torch.distributions.RelaxedOneHotCategorical",
     WAITS_FOR_ANY, NULL, "validate_args=False", 0, "asks whether its parameters are valid",
     "give validate_args=False"},
    /* torch/nn/modules/transformer.py:1245 */
    {"torch.nn.TransformerEncoder()", WAITS_ALWAYS, "mask", "is_causal", 0, "compares the mask with a causal one",
     "say is_causal="},
    /* torch/optim/swa_utils.py:310, 318 */
    {"torch.optim.swa_utils.AveragedModel.update_parameters", WAITS_ALWAYS, NULL, NULL, 0, "reads n_averaged back",
     "average every few steps, or with torch._foreach_lerp_"},
    /* torch/nn/modules/batchnorm.py: num_batches_tracked as a Python float; measured */
    {"torch.nn.BatchNorm1d() torch.nn.BatchNorm2d() torch.nn.BatchNorm3d() torch.nn.SyncBatchNorm()", WAITS_MADE_WITH,
     "momentum=None", NULL, 0, "reads back how many batches it has seen", "give it a momentum"},
    /* measured: value.item() of a tensor that fills */
    {"torch.masked_fill torch.Tensor.masked_fill torch.Tensor.masked_fill_", WAITS_FOR_LAST, NULL, NULL, 0,
     "reads the value back that it fills in", "use torch.where"},
    /* measured: alpha.item() */
    {"torch.add torch.sub torch.Tensor.add torch.Tensor.add_ torch.Tensor.sub torch.Tensor.sub_", WAITS_FOR_NAMED,
     "alpha", NULL, 0, "reads alpha back", "multiply by it"},
    /* measured: torch.equal of the quantiles' bounds */
    {"torch.quantile torch.nanquantile torch.Tensor.quantile torch.Tensor.nanquantile", WAITS_FOR_FIRST, NULL, NULL, 0,
     "asks whether q lies between 0 and 1", "use torch.sort and index it, or torch.kthvalue"},
    {"torch.linalg.eigh torch.linalg.eigvalsh torch.linalg.eig torch.linalg.eigvals torch.linalg.svd "
     "torch.linalg.svdvals torch.linalg.lstsq torch.svd",
     WAITS_FOR_ANY, NULL, NULL, 0, "asks whether it has failed", "do it every few steps, or once for several matrices"},
    /* aten/src/ATen/native: masked_select; the range is looked for where none is given */
    {"torch.combinations", WAITS_FOR_FIRST, NULL, NULL, 0, "selects by a mask", "make the indices once and keep them"},
    {"torch.histc torch.Tensor.histc", WAITS_FOR_FIRST, NULL, "max", 3, "looks for the least and the largest value",
     "give min and max"},
    /* torch/distributed/distributed_c10d.py:3514, 3892: sizes go to the host first */
    {"torch.distributed.all_gather_object torch.distributed.gather_object torch.distributed.broadcast_object_list "
     "torch.distributed.scatter_object_list accelerate.utils.gather_object accelerate.utils.broadcast_object_list",
     WAITS_ALWAYS, NULL, NULL, 0, "sends pickled objects, whose sizes the host must know", "exchange tensors"},
    /* a tensor where Python wants a number: __float__, __complex__ */
    {"math.sqrt math.exp math.log math.log2 math.log10 math.log1p math.pow math.sin math.cos math.tan math.tanh "
     "math.floor math.ceil math.fabs math.isnan math.isinf math.isfinite complex",
     WAITS_FOR_FIRST, NULL, NULL, 0, "reads the tensor back", "use the function of torch"},
    /* ignite/engine/__init__.py:448: the default reads loss.item(); the seventh by place in older versions */
    {"ignite.engine.create_supervised_trainer", WAITS_EACH_STEP, NULL, "output_transform", 7,
     "reads the loss back by its default output_transform",
     "give output_transform=lambda x, y, y_pred, loss: loss.detach()"},
};

static bool has_keyword(const struct check *check, uint32_t call, const char *keyword)
{
    str rest = str_of(keyword), name;
    str_cut(&rest, '=', &name);
    const uint32_t value = syntax_argument(check->tree, call, UINT32_MAX, str_z(check->arena, name));
    return value != SYNTAX_NONE && (!rest.len || str_eq(syntax_text(check->tree, value), rest));
}

static uint32_t count_by_place(const struct check *check, uint32_t call)
{
    uint32_t count = 0;
    const uint32_t list = syntax_child(check->tree, call, 1);
    for (uint32_t a = syntax_first(check->tree, list); a != SYNTAX_NONE; a = syntax_next(check->tree, a))
        count += !syntax_is(check->tree, a, SYN_KEYWORD);
    return count;
}

static uint32_t last_or_value(const struct check *check, uint32_t call)
{
    uint32_t last = SYNTAX_NONE;
    const uint32_t list = syntax_child(check->tree, call, 1);
    for (uint32_t a = syntax_first(check->tree, list); a != SYNTAX_NONE; a = syntax_next(check->tree, a))
        last = syntax_is(check->tree, a, SYN_KEYWORD) ? last : a;
    const uint32_t value = syntax_argument(check->tree, call, UINT32_MAX, "value");
    return value == SYNTAX_NONE ? last : value;
}

static bool any_on_device(const struct check *check, uint32_t call)
{
    const uint32_t list = syntax_child(check->tree, call, 1);
    for (uint32_t a = syntax_first(check->tree, list); a != SYNTAX_NONE; a = syntax_next(check->tree, a))
        if (ask_gpu_tensor(check, a))
            return true;
    return false;
}

/* Tensors in a list that is written down: a name may hold numbers that were tensors before. */
static bool item_on_device(const struct check *check, uint32_t call)
{
    const uint32_t first = syntax_argument(check->tree, call, 0, "data");
    if (!syntax_is(check->tree, first, SYN_LIST) && !syntax_is(check->tree, first, SYN_TUPLE))
        return false;
    for (uint32_t at = syntax_first(check->tree, first); at != SYNTAX_NONE; at = syntax_next(check->tree, at))
        if (ask_gpu_tensor(check, at))
            return true;
    return false;
}

/* device=device, or a model that lies there. */
static bool any_there(const struct check *check, uint32_t call)
{
    const uint32_t list = syntax_child(check->tree, call, 1);
    for (uint32_t a = syntax_first(check->tree, list); a != SYNTAX_NONE; a = syntax_next(check->tree, a))
        if (value_on_gpu(
                ask_value(check, syntax_is(check->tree, a, SYN_KEYWORD) ? syntax_child(check->tree, a, 1) : a)))
            return true;
    return false;
}

/* The one statement of the module that binds the name. */
static uint32_t bound_by_module(const struct check *check, uint32_t name)
{
    uint32_t found = SYNTAX_NONE;
    for (uint32_t at = syntax_first(check->tree, 0); at != SYNTAX_NONE; at = syntax_next(check->tree, at)) {
        if (check->tree->kind[at] != SYN_ASSIGN || !syntax_same(check->tree, at + 1, check->tree, name))
            continue;
        if (found != SYNTAX_NONE)
            return SYNTAX_NONE;
        found = syntax_last_child(check->tree, at);
    }
    return found;
}

/* What the one place that binds the object binds it to: a name, or self.x. */
static struct site bound_to(const struct check *check, uint32_t object)
{
    if (syntax_is(check->tree, object, SYN_NAME)) {
        const struct definition *definition = flow_definition(check->project, check_site(check, object));
        const bool here = definition && definition->kind == DEFINED_ASSIGN;
        const bool outside = definition && definition->kind == DEFINED_OUTSIDE;
        return check_site(check, here ? definition->value : outside ? bound_by_module(check, object) : SYNTAX_NONE);
    }
    struct site bound[2];
    const uint32_t f = project_function_at(check->project, check_site(check, object));
    const uint32_t class_id = f == SYNTAX_NONE ? SYNTAX_NONE : project_function(check->project, f)->class_id;
    if (class_id == SYNTAX_NONE || !ask_own_attribute(check->tree, object) ||
        attribute_bindings(check->project, class_id, syntax_tail(check->tree, object), bound, 2) != 1)
        return check_site(check, SYNTAX_NONE);
    const struct syntax *tree = project_tree(check->project, bound[0].file);
    return (struct site){bound[0].file, syntax_last_child(tree, syntax_statement(tree, bound[0].node))};
}

/* norm(x) behind `norm = BatchNorm1d(8, momentum=None).to(device)` */
static bool is_made_with(const struct check *check, uint32_t object, const char *keyword)
{
    struct site made = bound_to(check, object);
    const struct check there = {check->project, made.file, project_tree(check->project, made.file), check->arena};
    while (syntax_is(there.tree, made.node, SYN_CALL) &&
           syntax_is(there.tree, ask_receiver(&there, made.node), SYN_CALL))
        made.node = ask_receiver(&there, made.node);
    return syntax_is(there.tree, made.node, SYN_CALL) && has_keyword(&there, made.node, keyword);
}

static bool lies_there(const struct check *check, uint32_t call, const struct wait *row)
{
    switch (row->waits) {
    case WAITS_ALWAYS:
        return true;
    case WAITS_FOR_FIRST:
        return ask_gpu_tensor(check, ask_receiver(check, call)) ||
               ask_gpu_tensor(check, syntax_argument(check->tree, call, 0, NULL));
    case WAITS_FOR_SECOND:
        return ask_gpu_tensor(check, syntax_argument(check->tree, call, 1, "fill_value"));
    case WAITS_FOR_ANY:
        return any_on_device(check, call);
    case WAITS_FOR_LAST:
        return ask_gpu_tensor(check, last_or_value(check, call));
    case WAITS_MADE_WITH:
        return any_on_device(check, call) && is_made_with(check, syntax_first(check->tree, call), row->where);
    case WAITS_FOR_NAMED:
        return ask_gpu_tensor(check, syntax_argument(check->tree, call, UINT32_MAX, row->where));
    case WAITS_FOR_ITEM:
        return item_on_device(check, call);
    case WAITS_EACH_STEP:
        return any_there(check, call);
    }
    return false;
}

/* What is called: "torch.linalg.inv"; of an object "torch.nn.TransformerEncoder()", of its method "X.update". */
static str called(const struct check *check, uint32_t call)
{
    const struct value *callee = ask_value(check, syntax_first(check->tree, call));
    const str name = name_of(check->project, check_site(check, call));
    if (callee->kind == VALUE_MODULE)
        return name.len ? str_printf(check->arena, "%.*s()", (int)name.len, name.at) : name;
    const uint32_t receiver = ask_receiver(check, call);
    const struct value *object = ask_value(check, receiver);
    if (receiver == SYNTAX_NONE || object->kind != VALUE_MODULE)
        return name;
    const str type = name_of(check->project, check_site(check, receiver)), tail = ask_tail(check, call);
    return str_printf(check->arena, "%.*s.%.*s", (int)type.len, type.at, (int)tail.len, tail.at);
}

const struct wait *waits_of(const struct check *check, uint32_t call)
{
    const str name = called(check, call);
    for (size_t i = 0; name.len && i < sizeof rows / sizeof *rows; i++) {
        const struct wait *row = &rows[i];
        if (!str_is_among(row->names, name))
            continue;
        const bool avoided = (row->unless && has_keyword(check, call, row->unless)) ||
                             syntax_arguments_hidden(check->tree, call) ||
                             (row->unless_count && count_by_place(check, call) >= row->unless_count);
        return !avoided && (!row->where || row->waits == WAITS_MADE_WITH || has_keyword(check, call, row->where)) &&
                       lies_there(check, call, row)
                   ? row
                   : NULL;
    }
    return NULL;
}
