/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the text of a function says it calls, in the order in which Python comes to it: a small program whose paths are the
 * ways through the function. A call takes one name; branches split, loops jump back, and the begin and the end of a loop in
 * brackets are marked. What has a frame of its own (functions and lambdas within, generators, classes) is left out. Knows no trace.
 */
#ifndef JOIN_COURSE_H
#define JOIN_COURSE_H

#include "base/arena.h"
#include "base/map.h"
#include "syntax/syntax.h"

enum course_op {
    COURSE_CALL,  /* then the next step */
    COURSE_SPLIT, /* the next step, or `to` */
    COURSE_JUMP,  /* `to` */
    COURSE_ENTER, /* a loop in brackets begins */
    COURSE_LEAVE, /* and ends */
    COURSE_END
};

struct course_step {
    uint8_t op;
    uint32_t to;
    uint32_t node; /* the call, or the loop in brackets */
    uint32_t loop; /* the innermost loop in brackets around a call; 0: none */
    uint32_t name; /* of a call, in `names` */
};

enum { COURSE_NO_NAME = UINT32_MAX };

struct course {
    struct course_step *steps;
    uint32_t count;
    str *names;
    uint32_t name_count;
    struct map by_name; /* hash of a name to its number */
    uint32_t loops;     /* in brackets, of its own */
    bool is_whole;      /* false: nested too deep to follow */
};

/* Of a SYN_FUNCTION, or of the file (node 0). The arena holds all but the map: course_free. */
struct course course_of(const struct syntax *tree, uint32_t function, struct arena *arena);
void course_free(struct course *course);

uint32_t course_name(const struct course *course, str name); /* COURSE_NO_NAME: it calls nothing of that name */

/* A loop in brackets whose frame Python 3.12 and later do without: of a list, a set or a dictionary. */
static inline bool course_is_loop(const struct syntax *tree, uint32_t node)
{
    return tree->kind[node] == SYN_LIST_COMP || tree->kind[node] == SYN_SET_COMP || tree->kind[node] == SYN_DICT_COMP;
}

#endif
