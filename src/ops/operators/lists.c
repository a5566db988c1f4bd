/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators over lists of tensors (torch._foreach_*, fused optimizers). One
 * launch takes chunks of 65536 elements, at most 320 of them, of at most 110, 64,
 * 48 or 36 tensors for one to four lists (PyTorch, multi_tensor_apply: what fits in
 * a kernel's arguments).
 */
#include "reading.h"

enum { CHUNK = 65536, CHUNKS_MOST = 320 };

static uint32_t tensors_most(int lists)
{
    static const uint32_t most[] = {110, 110, 64, 48, 36, 30};
    return most[lists < 0 ? 0 : lists > 5 ? 5 : lists];
}

/* Launches that the list takes. */
static uint32_t launches_of(const struct shape_argument *list, uint32_t most)
{
    uint32_t launches = 0, tensors = 0;
    int64_t chunks = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        chunks += dims_elements(list->tensors[i]) / CHUNK + 1;
        tensors++;
        if (tensors < most && chunks < CHUNKS_MOST)
            continue;
        launches += chunks < CHUNKS_MOST ? 1 : (uint32_t)(chunks / CHUNKS_MOST);
        chunks %= CHUNKS_MOST;
        tensors = chunks > 0;
    }
    return launches + (tensors > 0);
}

/* The first argument that is a list; NULL. */
static const struct shape_argument *first_list(const struct op_call *call, int *at)
{
    for (*at = 0; (uint32_t)*at < call->shape.count; (*at)++)
        if (call_list(call, *at))
            return call_list(call, *at);
    return NULL;
}

static int lists_from(const struct op_call *call, int first)
{
    int lists = 0;
    for (int i = first; (uint32_t)i < call->shape.count; i++)
        lists += call_list(call, i) != NULL;
    return lists;
}

/* The profiler writes no types inside a list, so the traffic stays unknown. */
static void say_least(struct reading *reading)
{
    if (call_list(&reading->call, 0))
        reading->least.flops = figure_product(call_elements(&reading->call, 0), reading->row->each);
}

static const char no_list[] = "the shapes of its lists were not recorded";

/* Kernels alike, each of a share of the elements of the list. */
struct shares {
    uint32_t launches;
    int64_t elements;
    int64_t chunk; /* elements of the largest piece, which a block takes */
};

static int64_t largest_chunk(const struct shape_argument *list)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const int64_t elements = dims_elements(list->tensors[i]);
        most = elements > most ? elements : most;
    }
    return most < CHUNK ? most : CHUNK;
}

static struct shares shares_of(const struct reading *reading, int at, const struct shape_argument *list, int lists)
{
    const struct shares shares = {launches_of(list, tensors_most(lists)), call_elements(&reading->call, at), 0};
    if (!shares.launches || shares.elements < 1)
        return (struct shares){0};
    return (struct shares){shares.launches, (shares.elements + shares.launches - 1) / shares.launches,
                           largest_chunk(list)};
}

static bool add_shares(struct reading *reading, struct kernel kernel, uint32_t launches)
{
    reading->empty = !launches;
    if (launches && reading_add(reading, kernel))
        reading_repeat(reading, launches);
    return true;
}

bool read_lists(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    int at;
    const struct shape_argument *list = first_list(call, &at);
    if (!list)
        return reading_miss(reading, no_list);
    say_least(reading);
    const int lists = lists_from(call, at);
    const struct shares shares = shares_of(reading, at, list, lists);
    return add_shares(reading,
                      (struct kernel){.form = FORM_ELEMENTWISE,
                                      .dtype = call_kernel_dtype(call, at),
                                      .elements = {.rows = 1,
                                                   .cols = shares.elements,
                                                   .accesses = lists + reading->row->operands,
                                                   .chunk = shares.chunk}},
                      shares.launches);
}

/* Lists of parameters, gradients and states; a list of steps, one number each, comes last. */
bool read_optimizer(struct reading *reading)
{
    const struct op_call *call = &reading->call;
    int at;
    const struct shape_argument *list = first_list(call, &at);
    if (!list)
        return reading_miss(reading, no_list);
    say_least(reading);
    const int states = reading->row->operands;
    const struct shares shares = shares_of(reading, at, list, states + 2);
    return add_shares(reading,
                      (struct kernel){.form = FORM_OPTIMIZER,
                                      .dtype = call_kernel_dtype(call, at),
                                      .optimizer = {shares.elements, states}},
                      shares.launches);
}
