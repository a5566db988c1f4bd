/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

enum nest event_nest(enum event_kind kind)
{
    static const enum nest nest_of[EVENT_KINDS] = {
        [EVENT_OPERATOR] = NEST_CALLS,
        [EVENT_RUNTIME] = NEST_CALLS,
        [EVENT_ANNOTATION] = NEST_ANNOTATION,
        [EVENT_PYTHON] = NEST_PYTHON,
        [EVENT_OVERHEAD] = NEST_ASIDE,
        [EVENT_INSTANT] = NEST_ASIDE,
        [EVENT_OTHER] = NEST_ASIDE,
        [EVENT_KERNEL] = NEST_WORK,
        [EVENT_COPY] = NEST_WORK,
        [EVENT_MEMSET] = NEST_WORK,
        [EVENT_SYNC] = NEST_SYNC,
        [EVENT_DEVICE_ANNOTATION] = NEST_DEVICE_ANNOTATION,
    };
    return nest_of[kind];
}
