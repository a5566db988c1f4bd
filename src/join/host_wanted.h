/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is looked for, among the frames and operators of the training thread, of a finding of the source: a call by its name
 * and by its order among the calls of that name in its scope, a loop in brackets by its lines. Knows no trace.
 */
#ifndef JOIN_HOST_WANTED_H
#define JOIN_HOST_WANTED_H

#include "lint/lint.h"

struct host_wanted {
    str name;              /* of the call; "": none */
    uint32_t order, calls; /* which of the calls of that name in its scope, and how many there are */
    int64_t scope_line;    /* of the loop in brackets or lambda that the call stands in; 0: in none */
    uint32_t scope;        /* its node; 0 */
    int64_t first_line, last_line;
    bool is_constructor; /* a type that is called: Python gives it no frame */
    bool is_loop;        /* a loop in brackets is a part of it */
    bool is_search;      /* calls of np.where one behind another, with what is compared before each */
};

struct host_wanted host_wanted_of(const struct lint *lint, const struct match *match);

#endif
