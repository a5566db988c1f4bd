/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which call of a function's text each call is that a run of it made: the way through the text that the calls fit best.
 *
 * A call that is on the way and was not seen costs 1, one that was seen and is not on the way costs 1, so this is the edit
 * distance to a regular language. Ways that cost the same are all heeded: what differs between them is not known.
 */
#ifndef JOIN_COURSE_FIT_H
#define JOIN_COURSE_FIT_H

#include "course.h"

enum {
    EVENT_ANY = UINT32_MAX, /* a call of an object: of a name that the text does not tell */
    LOOP_UNSURE = UINT32_MAX,
    LOOP_NONE = UINT32_MAX - 1, /* of no call of the text */
    FIT_MOST = 4 << 20          /* calls times steps; more are not looked at */
};

/* What a run called. */
struct course_run {
    const uint32_t *events; /* names of the course, or EVENT_ANY */
    uint32_t count;
    bool is_begun, is_cut; /* recorded from somewhere within, to somewhere within */
};

/* Between two calls, before the first and behind the last. */
struct course_gap {
    uint32_t
        loop; /* in brackets, that calls nothing that is seen, and which may lie here; 0: none, LOOP_UNSURE: several */
    bool is_unclean;  /* a call that has no frame may lie here, outside of any loop in brackets */
    uint32_t unclean; /* the loop in brackets in which such a call may lie; 0: none, LOOP_UNSURE: several */
};

struct course_fit {
    uint32_t *loops;         /* by call: the innermost loop in brackets around it, 0: none; LOOP_UNSURE, LOOP_NONE */
    struct course_gap *gaps; /* one more than calls */
    uint32_t cost;
    bool fits;
};

/* `seen`: by name of the course, whether any run of the function has a call of that name. */
struct course_fit course_fit(const struct course *course, const bool *seen, const struct course_run *run,
                             struct arena *arena);

#endif
