/* SPDX-License-Identifier: Apache-2.0 */
/* What the categories of all versions and vendors mean. */
#ifndef READ_KINETO_CATEGORY_H
#define READ_KINETO_CATEGORY_H

#include "base/str.h"
#include "trace/event.h"

struct category {
    str text;
    enum event_kind kind;
    enum flow_kind flow;
    bool usual; /* what today's PyTorch writes for the kind on NVIDIA devices; others are kept as ATTR_CATEGORY */
};

/* Never NULL: an unknown category says nothing. */
const struct category *kineto_category(str text);

/* Of an event without category: the list that PyTorch wrote before 2021 tells by the text of its pid. */
enum event_kind kineto_legacy_kind(str process);

/* Steps, optimizer calls and loader fetches were operators in older versions; they are annotations. */
bool kineto_is_annotation(str name);

#endif
