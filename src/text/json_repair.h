/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies in real files and is not JSON, made into JSON: one value at a time,
 * in one pass, by looking at what follows. Producers do not escape quotes,
 * control characters and backslashes in names, write N/A and NaN, and leave
 * commas and brackets behind or out.
 */
#ifndef TEXT_JSON_REPAIR_H
#define TEXT_JSON_REPAIR_H

#include "base/buf.h"
#include "json_scan.h"

enum json_flaw {
    FLAW_QUOTE,   /* a quote inside a string without a backslash */
    FLAW_ESCAPE,  /* a backslash that escapes nothing */
    FLAW_CONTROL, /* a control character inside a string */
    FLAW_UTF8,    /* bytes that are no UTF-8, replaced by U+FFFD */
    FLAW_WORD,    /* a bare word such as NaN, replaced by null */
    FLAW_COMMA,   /* a comma too many or too few */
    FLAW_BRACKET, /* a closing bracket too few */
    FLAWS,
};

struct json_repair {
    const str *landmarks; /* keys that only structure has, ended by an empty one: no string goes past such a key */
    struct buf text;      /* the value as JSON, padded for json_scan.h */
    unsigned flaws;       /* bits of enum json_flaw */
    const char *first;    /* where the first was found */
    bool unsure; /* the text ended where more of it was wanted to decide: with more it may come out otherwise */
};

/*
 * Repairs the object or array at `at`, or where `member` is set any value of an
 * object's member. Returns where it ends in the source, or NULL where the text
 * ends first or cannot be understood; *wrong is then as far as it went.
 */
const char *json_repair(const char *at, const char *end, bool member, struct json_repair *repair, const char **wrong);

/* "quote not escaped, control character" */
void json_flaws_text(unsigned flaws, struct buf *text);

#endif
