/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the tensors of a dry run would lie. Really all lie on the host; below the node of an operator that would work
 * there, or copy to or from the device, stands one that says so (python/dry/places.py).
 */
#include "execution.h"

struct places {
    struct execution_tensor *tensors;
    const struct execution *of;
};

static void put(const struct places *places, const struct execution_arguments *arguments, enum tensor_place place)
{
    for (uint32_t i = 0; i < arguments->tensors; i++) {
        struct execution_tensor *const tensor = &places->tensors[arguments->first_tensor + i];
        if (tensor->place == PLACE_HOST || tensor->place == PLACE_DEVICE)
            tensor->place = (uint8_t)place;
    }
}

const struct execution_node *execution_marked(const struct execution *e, const struct execution_node *mark)
{
    const struct execution_node *const mode = mark->parent == EXECUTION_NONE ? NULL : &e->nodes[mark->parent];
    const bool below = mode && mode->parent != EXECUTION_NONE && str_eq(mode->name, S("PythonDispatchMode"));
    return below ? &e->nodes[mode->parent] : NULL;
}

static void heed(const struct places *places, const struct execution_node *mark, bool nothing_there)
{
    const bool stays = str_eq(mark->name, S("steptime::stays_on_host"));
    const bool on_host = stays || str_eq(mark->name, S("steptime::on_host"));
    const bool to_host = str_eq(mark->name, S("steptime::to_host"));
    const bool to_device = str_eq(mark->name, S("steptime::to_device"));
    const struct execution_node *const node = execution_marked(places->of, mark);
    if (!node || !(on_host || to_host || to_device) || (nothing_there && !stays))
        return;
    put(places, &node->inputs, on_host || to_device ? PLACE_HOST : PLACE_DEVICE);
    put(places, &node->outputs, on_host || to_host ? PLACE_HOST : PLACE_DEVICE);
}

void execution_put_on_device(struct execution *execution, bool nothing_there)
{
    struct execution_tensor *const tensors = arena_array(&execution->arena, execution->tensor_count, sizeof *tensors);
    const struct places places = {tensors, execution};
    for (uint32_t i = 0; i < execution->tensor_count; i++) {
        tensors[i] = execution->tensors[i];
        tensors[i].place = tensors[i].place == PLACE_HOST ? PLACE_DEVICE : tensors[i].place;
        tensors[i].storage = 0; /* without data all have one and the same */
    }
    for (uint32_t i = 0; i < execution->count; i++)
        if (str_starts(execution->nodes[i].name, S("steptime::")))
            heed(&places, &execution->nodes[i], nothing_there);
    execution->tensors = tensors;
}
