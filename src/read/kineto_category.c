/* SPDX-License-Identifier: Apache-2.0 */
#include "kineto_category.h"

/* clang-format off */
#define USUAL(text, kind) {{"" text, sizeof text - 1}, kind, FLOW_OTHER, true}
#define CATEGORY(text, kind) {{"" text, sizeof text - 1}, kind, FLOW_OTHER, false}
#define ARROW(text, flow) {{"" text, sizeof text - 1}, EVENT_OTHER, flow, false}
/* clang-format on */

static const struct category categories[] = {
    USUAL("cpu_op", EVENT_OPERATOR),
    CATEGORY("Operator", EVENT_OPERATOR),
    CATEGORY("operator", EVENT_OPERATOR),
    USUAL("cuda_runtime", EVENT_RUNTIME),
    USUAL("cuda_driver", EVENT_RUNTIME),
    CATEGORY("hip_runtime", EVENT_RUNTIME),
    CATEGORY("hip_driver", EVENT_RUNTIME),
    CATEGORY("mtia_runtime", EVENT_RUNTIME),
    CATEGORY("xpu_runtime", EVENT_RUNTIME),
    CATEGORY("xpu_driver", EVENT_RUNTIME),
    CATEGORY("glow_runtime", EVENT_RUNTIME),
    CATEGORY("privateuse1_runtime", EVENT_RUNTIME),
    CATEGORY("privateuse1_driver", EVENT_RUNTIME),
    CATEGORY("Runtime", EVENT_RUNTIME),
    USUAL("user_annotation", EVENT_ANNOTATION),
    USUAL("python_function", EVENT_PYTHON),
    USUAL("overhead", EVENT_OVERHEAD),
    CATEGORY("Overhead", EVENT_OVERHEAD),
    USUAL("cpu_instant_event", EVENT_INSTANT),
    USUAL("kernel", EVENT_KERNEL),
    CATEGORY("Kernel", EVENT_KERNEL),
    CATEGORY("mtia_ccp_events", EVENT_KERNEL),
    CATEGORY("hpu_op", EVENT_KERNEL),
    CATEGORY("concurrent_kernel", EVENT_KERNEL),
    USUAL("gpu_memcpy", EVENT_COPY),
    CATEGORY("Memcpy", EVENT_COPY),
    CATEGORY("memcpy", EVENT_COPY),
    USUAL("gpu_memset", EVENT_MEMSET),
    CATEGORY("Memset", EVENT_MEMSET),
    CATEGORY("memset", EVENT_MEMSET),
    USUAL("cuda_sync", EVENT_SYNC),
    CATEGORY("hip_sync", EVENT_SYNC),
    USUAL("gpu_user_annotation", EVENT_DEVICE_ANNOTATION),
    ARROW("ac2g", FLOW_LAUNCH),
    ARROW("async_cpu_to_gpu", FLOW_LAUNCH),
    ARROW("async_gpu", FLOW_LAUNCH),
    ARROW("async", FLOW_LAUNCH),
    ARROW("fwdbwd", FLOW_BACKWARD),
    ARROW("forward_backward", FLOW_BACKWARD),
};

static const struct category unknown = CATEGORY("", EVENT_OTHER);

const struct category *kineto_category(str text)
{
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (str_eq(categories[i].text, text))
            return &categories[i];
    return &unknown;
}

enum event_kind kineto_legacy_kind(str process)
{
    if (str_eq(process, S("CPU functions")))
        return EVENT_OPERATOR;
    return str_eq(process, S("CUDA functions")) ? EVENT_KERNEL : EVENT_OTHER;
}

bool kineto_is_annotation(str name)
{
    return str_starts(name, S("ProfilerStep#")) || str_starts(name, S("Optimizer.")) ||
           str_starts(name, S("enumerate(Data"));
}
