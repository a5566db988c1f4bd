/* SPDX-License-Identifier: Apache-2.0 */
/* Who gives what by name, over all files of a run: keyword arguments, keys of dicts, attributes that are bound. */
#ifndef SOURCE_CHOICES_H
#define SOURCE_CHOICES_H

#include "base/map.h"
#include "base/str.h"
#include "source/flow/site.h"

struct project;

enum choice {
    CHOICE_KEYWORD, /* f(name=here) */
    CHOICE_KEY,     /* {"name": here}, d["name"] = here */
    CHOICE_CALL,    /* x.name(...), of which nobody knows what it reaches: `value` is the call */
    CHOICE_OPTION, /* add_argument("--name", default=here), the call; NONE: its action says. `name: type = here` of a class */
    CHOICE_SPELLED,   /* ["--name", ...]: a command that gives it; no value */
    CHOICE_ATTRIBUTE, /* x.name = here; here: NONE where it is not told what (unpacked, +=) */
};

struct choice_given {
    uint32_t kind; /* enum choice */
    uint32_t next; /* another of the name in the program; NONE */
    struct site at, value;
};

/* Those of a name in a program: begin with the first, go on by `next`. */
struct choices {
    struct choice_given *at;
    size_t count, room;
    struct map first; /* program and name -> the last that was added */
};

/* One more; gates/given.h goes over the files. */
void choices_add(struct project *project, enum choice kind, str name, struct site at, struct site value);
uint32_t choices_first(const struct project *project, uint32_t program, str name); /* NONE */

#endif
