/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of libraries that wait for the device inside, as data: a row a call, or some that wait for the same reason. */
#ifndef RULES_WAITS_H
#define RULES_WAITS_H

#include "rules/ask/ask.h"

struct wait {
    const char *names; /* qualified ones, blanks between; that of a class and "()" calls an object of it */
    enum {
        WAITS_ALWAYS,
        WAITS_FOR_FIRST,  /* where what the method is called on, or the first argument, lies on the device */
        WAITS_FOR_SECOND, /* the second, of a function */
        WAITS_FOR_ANY,    /* any argument */
        WAITS_FOR_LAST,   /* the last by place, or value= */
        WAITS_MADE_WITH,  /* an object that was made with the keyword of `where`, for what lies on the device */
        WAITS_FOR_NAMED,  /* the keyword of `where` */
        WAITS_FOR_ITEM,   /* an item of the first */
        WAITS_EACH_STEP, /* it sets up a training of which each step waits, where an argument lies on the device or is one */
    } waits;
    const char *where;    /* it waits only with this keyword: "prog_bar=True", or "mask" with any value; NULL */
    const char *unless;   /* not with this one: "error_if_nonfinite=False", or "num_classes" with any value; NULL */
    uint8_t unless_count; /* nor with so many arguments by place; 0: however many */
    const char *because;  /* what waits: to follow the call in a sentence */
    const char *instead;
};

/* The row of a call that waits here; NULL. */
const struct wait *waits_of(const struct check *check, uint32_t call);

#endif
