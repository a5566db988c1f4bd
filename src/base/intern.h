/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts as dense ids. Equal texts have equal ids, ids count up from 0, and id 0
 * is always the empty text. The table owns copies; a str it returns lives as
 * long as the table and is NUL-terminated.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "str.h"

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *table);

uint32_t intern_id(struct intern *table, str text);                   /* found or added */
bool intern_find(const struct intern *table, str text, uint32_t *id); /* found only */
str intern_text(const struct intern *table, uint32_t id);
uint32_t intern_count(const struct intern *table);
size_t intern_bytes(const struct intern *table); /* memory held */

#endif
