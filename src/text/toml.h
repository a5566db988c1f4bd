/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML in, item by item, as far as a configuration needs it: strings of all four
 * kinds, booleans, integers, arrays of strings. Other values (floats, dates,
 * inline tables, arrays of other things) are told as TOML_OTHER, as they are
 * written, so that a file with them can be read for the tables that matter. Keys
 * are not checked for repeats.
 *
 *     struct toml_reader reader = toml_reader(path, text);
 *     struct toml_item item;
 *     while (toml_next(&reader, &arena, &item, err))
 *         ...
 *     if (reader.broken)
 *         return false;
 */
#ifndef TEXT_TOML_H
#define TEXT_TOML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "steptime/error.h"

enum toml_kind { TOML_TEXT, TOML_TEXTS, TOML_BOOL, TOML_INT, TOML_OTHER };

enum { TOML_KEYS = 16 }; /* names in a dotted key, that of the table included */

struct toml_key {
    str names[TOML_KEYS];
    uint32_t count;
};

struct toml_item {
    struct toml_key key; /* from the root: of `a = 1` in [tool.x] tool, x, a */
    uint32_t line;
    enum toml_kind kind;
    str text; /* TOML_TEXT; of TOML_OTHER as it is written */
    const str *texts;
    uint32_t text_count; /* TOML_TEXTS */
    bool flag;
    int64_t number;
};

struct toml_reader {
    str path, rest;
    uint32_t line;
    struct toml_key table;
    bool broken; /* the text is no TOML: *err says where */
};

struct toml_reader toml_reader(str path, str text);

/* False at the end, and where the text is broken: an error of STEPTIME_INPUT that begins "line 3: ". */
bool toml_next(struct toml_reader *reader, struct arena *arena, struct toml_item *item, struct steptime_error *err);

#endif
