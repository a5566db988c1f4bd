/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes put aside in a temporary file that no name leads to, and read again from
 * the first: for what must be seen twice and is too much for memory.
 */
#ifndef IO_SPOOL_H
#define IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "steptime/error.h"

struct spool;

struct spool *spool_new(struct steptime_error *err); /* NULL with *err where there is no room for temporary files */
void spool_free(struct spool *spool);                /* NULL is fine */

bool spool_add(struct spool *spool, str bytes, struct steptime_error *err); /* false: the disk is full */

void spool_again(struct spool *spool);                          /* to the first byte */
bool spool_read(struct spool *spool, void *into, size_t bytes); /* false: there are not so many left */

#endif
