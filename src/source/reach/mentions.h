/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions and classes name which others, by what names resolve to and, where that is not known, by the name
 * alone. A unit is what can be named, or what names: a function, a class, all that a module gives, everything, or a name
 * that something in a module has.
 */
#ifndef SOURCE_MENTIONS_H
#define SOURCE_MENTIONS_H

#include "source/contexts/contexts.h"

struct mention {
    uint32_t from, to; /* units */
    struct site at;    /* site_none: a class has methods and bases, a module what stands in it */
    bool strict;       /* what it leads to runs with it; else it may */
    bool asked;        /* what a program runs looks it up by this name, or in this module */
    bool weak;         /* says little of what runs: `x.f` of any object, where a module has an f; a name in __all__ */
};

struct mentions {
    struct mention *at;
    size_t count, room;
    uint32_t classes, modules, everything; /* the first unit of each kind; functions come first, names last */
    uint32_t units;
    struct map names, class_names; /* hash of a name -> unit: whatever, or the classes, that modules call so */
    struct map functions;          /* hash of a name -> a function of a module is called so */
    struct map variables;          /* file and hash of a name -> unit: what that module itself binds so, by = alone */
    struct map in_program;         /* program and hash of a name -> unit: what modules of that program call so */
    struct map defined;            /* as of variables -> a function or class of that module is called so */
    struct map settings;           /* hash of a name -> a text of a module that nothing says the use of */
    uint8_t *asks;                 /* per node of the file that is looked into: enum asks */
    uint32_t *whole;               /* the same: of a part of `a.b[c]` the whole, else the node */
    uint32_t fetched;              /* modules that are fetched by their names: how many places */
    bool *registered;              /* per class: by a call that is a statement of a module */
};

void mentions_find(struct project *project, struct mentions *mentions);
void mentions_free(struct mentions *mentions);

/* Whether a function stands in a module, and in no class or function. */
bool mentions_is_of_module(const struct project *project, uint32_t f);

bool mentions_in_setting(const struct project *project, const struct mentions *mentions, uint32_t class_id);

/* The unit in whose code a node stands. */
uint32_t mentions_unit(const struct project *project, const struct mentions *mentions, struct site site);

#endif
