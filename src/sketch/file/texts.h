/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that many sketches say alike, each kept once: names of kernels, operators, groups. Threads may share it. */
#ifndef SKETCH_TEXTS_H
#define SKETCH_TEXTS_H

#include "base/str.h"

struct texts;

struct texts *texts_new(void);
void texts_free(struct texts *texts); /* NULL is fine */

str texts_keep(struct texts *texts, str text); /* lives as long as the texts */

/* The same by a number. */
uint32_t texts_number(struct texts *texts, str text);
str texts_at(struct texts *texts, uint32_t number);

#endif
