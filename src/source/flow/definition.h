/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places that bind names, as they are handed out.
 *
 * A definition is one place that binds a name in a function: assignment,
 * parameter, loop target, import, with ... as, except ... as, del. Where two
 * ways meet (after an if, at the head of a loop) a use has several.
 */
#ifndef SOURCE_DEFINITION_H
#define SOURCE_DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

enum definition_kind {
    DEFINED_ASSIGN,  /* x = value; also part of a, b = value, and := */
    DEFINED_AUGMENT, /* x += value */
    DEFINED_PARAMETER,
    DEFINED_FOR, /* target of for; of a comprehension too */
    DEFINED_WITH,
    DEFINED_EXCEPT,
    DEFINED_IMPORT,
    DEFINED_FUNCTION, /* def and class */
    DEFINED_CHANGE,   /* x.append(v), x[i] = v, x.sub_(y): the same object, another content */
    DEFINED_DELETE,
    DEFINED_MEETING, /* several ways meet: never handed out, flow_definitions looks through */
    DEFINED_OUTSIDE, /* a name of an outer function or module, or bound nowhere */
};

struct definition {
    uint32_t kind;      /* enum definition_kind */
    uint32_t name;      /* node of the name that is bound */
    uint32_t value;     /* node of the value: right side, iterable, default ...; SYNTAX_NONE */
    uint32_t statement; /* node */
    uint32_t function;  /* whose local it is */
    bool unpacked;      /* a, b = value: it is a part of the value */
};

/* Names that read a definition are told up to this number. */
enum { FLOW_MOST_USES = 64 };

#endif
