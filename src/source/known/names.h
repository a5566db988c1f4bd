/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the whole project: equal ones at one address. */
#ifndef SOURCE_NAMES_H
#define SOURCE_NAMES_H

#include "base/str.h"

struct known;

struct name {
    str text;
    uint32_t id;
    const struct known *known; /* what the table of public functions says; NULL */
};

struct names;
struct names *names_new(void);
void names_free(struct names *names);
/* Safe from any thread. */
const struct name *names_get(struct names *names, str text);
/* "base.part", in canonical form. */
const struct name *names_dot(struct names *names, const struct name *base, str part);

#endif
