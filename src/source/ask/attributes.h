/* SPDX-License-Identifier: Apache-2.0 */
/* What was found of attributes, kept for who asks again; attribute_* of flow.h ask. Any number of threads may. */
#ifndef SOURCE_ATTRIBUTES_H
#define SOURCE_ATTRIBUTES_H

struct attributes;

struct attributes *attributes_new(void);
void attributes_free(struct attributes *attributes); /* NULL is fine */

#endif
