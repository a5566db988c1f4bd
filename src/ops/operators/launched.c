/* SPDX-License-Identifier: Apache-2.0 */
#include "launched.h"

#include "reading.h"

static const struct {
    const char *part;
    enum launch_hint hint;
} parts[] = {
    {"tf32", HINT_TF32},
    {"tensorop_s1688", HINT_TF32}, /* CUTLASS: those of other types name them: tensorop_bf16_s1688 */
    {"gemmSN_", HINT_VECTOR},
    {"native::elementwise_kernel", HINT_STRIDED},
    {"ToNhwc", HINT_LAYOUT},
    {"ToNchw", HINT_LAYOUT},
    {"batched_transpose", HINT_LAYOUT},
    {"transpose_NCHW", HINT_LAYOUT},
    {"transpose_CNHW", HINT_LAYOUT},
    {"direct_copy_kernel", HINT_COPY},
    {"channels_last", HINT_CHANNELS_LAST},
    {"splitK", HINT_PART},
};

uint32_t launch_hints(str kernel)
{
    uint32_t hints = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!(hints >> parts[i].hint & 1) && str_has(kernel, str_of(parts[i].part)))
            hints |= 1u << parts[i].hint;
    return hints;
}

void launched_add(struct launched *launched, uint32_t hints)
{
    launched->count++;
    for (int hint = 0; hint < LAUNCH_HINTS; hint++)
        launched->hinted[hint] += hints >> hint & 1;
}

/* ---- on the kernels of a call ---- */

static bool is_product(const struct kernel *kernel)
{
    return kernel->form == FORM_BMM || kernel->form == FORM_LINEAR;
}

static void tell_kernel(struct kernel *kernel, const struct launched *launched)
{
    const bool single = kernel->dtype == DTYPE_F32 || kernel->dtype == DTYPE_UNKNOWN;
    if ((is_product(kernel) || kernel->form == FORM_CONVOLUTION) && single && launched_hint(launched, HINT_TF32))
        kernel->format = FORMAT_TF32;
    if (is_product(kernel) && launched_hint(launched, HINT_VECTOR))
        kernel->variant = S("vector");
    if (kernel->form == FORM_ELEMENTWISE && !kernel->elements.chunk)
        kernel->elements.scattered = launched_hint(launched, HINT_STRIDED) ? kernel->elements.scattered : SCATTERED_NOT;
    if (kernel->form == FORM_COPY)
        kernel->moved.scattered = launched_hint(launched, HINT_STRIDED) ? kernel->moved.scattered : SCATTERED_NOT;
}

/* Elements of what a convolution reads and writes: input, filter, output. */
static int64_t image_elements(const struct kernel *kernel, uint32_t which)
{
    const struct axis *axes = kernel->convolution.axes;
    int64_t elements = which % 3 == 1 ? figure_product(kernel->convolution.out, kernel->convolution.in)
                                      : figure_product(kernel->convolution.batch,
                                                       which % 3 ? kernel->convolution.out : kernel->convolution.in);
    for (int i = 0; i < KERNEL_AXES; i++)
        elements = figure_product(elements, which % 3 == 0   ? axes[i].size
                                            : which % 3 == 1 ? axes[i].window
                                                             : axis_positions(&axes[i]));
    return which % 3 == 1 ? elements / (kernel->convolution.groups > 0 ? kernel->convolution.groups : 1) : elements;
}

/* Images, filters and results in another order, one after the other. */
static void add_layouts(struct reading *reading, uint32_t count)
{
    const struct kernel layer = reading->kernels[0];
    for (uint32_t i = 0; layer.form == FORM_CONVOLUTION && i < count; i++)
        reading_add(reading, (struct kernel){.form = FORM_TRANSPOSE,
                                             .dtype = layer.dtype,
                                             .variant = S(""),
                                             .transpose = {1, 1, image_elements(&layer, i)}});
}

static int64_t largest_bytes(const struct op_call *call)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < call->shape.count; i++) {
        const int64_t bytes = call_has(call, (int)i) ? call_kernel_bytes(call, (int)i) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Operands that did not lie in one piece. An element-wise call has copied nothing but what it is for. */
static void add_copies(struct reading *reading, uint32_t count)
{
    const enum kernel_form form = reading->kernels[0].form;
    const enum dtype dtype = reading->kernels[0].dtype;
    const bool copies = kernel_form_is_matrix(form) || form == FORM_LAYER_NORM || form == FORM_SOFTMAX;
    const int64_t bytes = copies ? largest_bytes(&reading->call) : 0;
    for (uint32_t i = 0; copies && i < count; i++)
        reading_add(reading, (struct kernel){.form = FORM_COPY,
                                             .dtype = dtype,
                                             .variant = S(""),
                                             .moved = {.bytes = bytes, .scattered = SCATTERED_SOMEHOW}});
}

/* Kernels of which nothing is known but that they ran: as long as the shortest. */
static void add_others(struct reading *reading, uint32_t count)
{
    const struct kernel tiny = {.form = FORM_FILL, .dtype = DTYPE_F32, .variant = S(""), .moved = {.bytes = 4}};
    if (count && reading_add(reading, tiny))
        reading_repeat(reading, count);
}

void reading_take_launched(struct reading *reading)
{
    const struct launched *launched = &reading->asked->launched;
    if (!launched->count || !reading->count)
        return;
    for (uint32_t i = 0; i < reading->count; i++)
        tell_kernel(&reading->kernels[i], launched);
    const uint32_t known = reading->count + launched->hinted[HINT_PART];
    if (launched->count <= known)
        return;
    const uint32_t more = launched->count - known, layouts = launched->hinted[HINT_LAYOUT];
    add_layouts(reading, layouts < more ? layouts : more);
    add_copies(reading, launched->hinted[HINT_COPY] < more ? launched->hinted[HINT_COPY] : more);
    const uint32_t told = reading->count + launched->hinted[HINT_PART];
    add_others(reading, launched->count > told ? launched->count - told : 0);
}
