/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --amp: automatic mixed precision as autocast does it (the lists of operators in
 * the manual of torch.amp). Products run in the lower precision; what follows its
 * inputs (element-wise, pooling, moves) does too; sums, norms, softmax and losses
 * stay in fp32, and so does the optimizer. A weight is cast once a step, before its
 * first product: 4 bytes read and 2 written an element, by a launch of its own.
 */
#include "change.h"

static bool follows(enum kernel_form form)
{
    switch (form) {
    case FORM_BMM:
    case FORM_LINEAR:
    case FORM_CONVOLUTION:
    case FORM_ATTENTION:
    case FORM_ELEMENTWISE:
    case FORM_DROPOUT:
    case FORM_POOLING:
    case FORM_BATCH_NORM:
    case FORM_TRANSPOSE:
    case FORM_CONCAT:
        return true;
    default:
        return false;
    }
}

static bool is_single(enum dtype dtype)
{
    return dtype == DTYPE_F32 || dtype == DTYPE_UNKNOWN;
}

/* The kernels as autocast runs them; false where nothing changes. */
static bool cast_kernels(struct kernels from, enum dtype dtype, struct kernel *to)
{
    bool changed = false;
    for (uint32_t i = 0; i < from.count; i++) {
        to[i] = from.at[i];
        if (!follows(to[i].form) || !is_single(to[i].dtype))
            continue;
        to[i].dtype = dtype;
        changed = true;
    }
    return changed;
}

/* Elements of the weight of a forward product; 0 where it has none. */
static double weight_elements(const struct kernel *kernel)
{
    if (kernel->form == FORM_LINEAR)
        return (double)kernel->product.reduced * (double)kernel->product.n;
    if (kernel->form == FORM_CONVOLUTION && kernel->convolution.groups > 0)
        return (double)kernel->convolution.in * (double)kernel->convolution.out *
               axes_window(kernel->convolution.axes) / (double)kernel->convolution.groups;
    return 0;
}

/* The cast takes its bytes over the memory's rate on the device, and a further launch on the host. */
static void add_cast(struct changing *changing, struct plan_launch *launch, struct kernels kernels)
{
    const struct hardware *hardware = changing->context->hardware;
    double elements = 0;
    for (uint32_t i = 0; i < kernels.count; i++)
        elements += kernels.at[i].backward ? 0 : weight_elements(&kernels.at[i]);
    if (elements <= 0)
        return;
    if (hardware && hardware->figure[HW_MEMORY_RATE] > 0)
        launch->us += 6 * elements / hardware->figure[HW_MEMORY_RATE] * 1e6;
    changing->plan->ops[launch->op].before_us += launch->gap_us + launch->call_us;
}

static enum phase phase_of(const struct plan *plan, const struct plan_launch *launch)
{
    const uint32_t op = plan->ops[launch->op].op;
    return op == OP_NONE ? PHASE_NONE : (enum phase)plan->program->ops[op].phase;
}

/* A unit's weight is cast before the first of its launches. */
static bool is_first(const struct change_units *units, uint32_t launch)
{
    const uint32_t unit = units->of_launch[launch];
    return unit == PLAN_NONE || launch == 0 || units->of_launch[launch - 1] != unit;
}

static bool cast_launch(struct changing *changing, const struct change_units *units, uint32_t i)
{
    struct plan_launch *launch = &changing->plan->launches[i];
    const enum phase phase = phase_of(changing->plan, launch);
    const struct kernels from = change_kernels_of(units, changing->plan, i);
    struct kernel *to = arena_array(changing->arena, from.count, sizeof *to);
    bool known;
    if (phase == PHASE_OPTIMIZER || !cast_kernels(from, changing->question->amp, to))
        return false;
    const double ratio = change_ratio(changing->context, from, (struct kernels){to, from.count}, &known);
    change_stretch(launch, ratio);
    if (phase == PHASE_FORWARD && is_first(units, i))
        add_cast(changing, launch, from);
    return known;
}

bool change_amp(struct changing *changing)
{
    const struct change_units units = change_units_of(changing->plan, changing->arena);
    uint32_t cast = 0, live = 0;
    for (uint32_t i = 0; i < changing->plan->launch_count; i++) {
        if (!change_is_live(changing->plan, &changing->plan->launches[i]))
            continue;
        live++;
        cast += cast_launch(changing, &units, i);
    }
    change_tell(changing,
                str_printf(changing->arena, "--amp: %u of %u launches run in the lower precision", cast, live));
    return true;
}
