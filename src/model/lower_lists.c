/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators over lists of tensors (torch._foreach_*, fused optimizers). One
 * launch takes chunks of 65536 elements, at most 320 of them, of at most 110, 64,
 * 48 or 36 tensors for one to four lists (PyTorch, multi_tensor_apply: what fits in
 * a kernel's arguments).
 */
#include "lower_work.h"

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
static const struct shape_argument *first_list(const struct op_call *call, uint32_t *at)
{
    for (*at = 0; *at < call->shape.count; (*at)++)
        if (call->shape.arguments[*at].list)
            return &call->shape.arguments[*at];
    return NULL;
}

static const char no_list[] = "the shapes of its lists were not recorded";

bool lower_lists(struct lower_work *work, const struct lower_variant *v)
{
    uint32_t at;
    const struct shape_argument *list = first_list(&work->call, &at);
    if (!list)
        return lower_miss(work, no_list);
    int lists = 0;
    for (uint32_t i = at; i < work->call.shape.count; i++)
        lists += work->call.shape.arguments[i].list;
    const uint32_t launches = launches_of(list, tensors_most(lists));
    const int64_t elements = call_elements(&work->call, at);
    if (!launches || elements < 1) {
        work->empty = true;
        return true;
    }
    const int64_t written = v->b && !work->call.in_place ? 1 : v->a;
    lower_add(work, FORM_ELEMENTWISE, lower_dtype(&work->call, at),
              (const int64_t[]){1, (elements + launches - 1) / launches, lists + written});
    lower_repeat(work, launches);
    return true;
}

/* Lists of parameters, gradients and states; a list of steps, one number each, comes last. */
bool lower_optimizer(struct lower_work *work, const struct lower_variant *v)
{
    uint32_t at;
    const struct shape_argument *list = first_list(&work->call, &at);
    if (!list)
        return lower_miss(work, no_list);
    const uint32_t launches = launches_of(list, tensors_most(v->a + 2));
    const int64_t elements = call_elements(&work->call, at);
    if (!launches || elements < 1) {
        work->empty = true;
        return true;
    }
    lower_add(work, FORM_OPTIMIZER, lower_dtype(&work->call, at),
              (const int64_t[]){(elements + launches - 1) / launches, v->a});
    lower_repeat(work, launches);
    return true;
}
