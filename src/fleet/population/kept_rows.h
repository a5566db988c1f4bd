/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a result put aside while a table is read: all of them, or none where there are more than anybody reads. */
#ifndef FLEET_KEPT_ROWS_H
#define FLEET_KEPT_ROWS_H

#include <stdint.h>

#include "io/spool.h"

enum { ROWS_TOLD = 100000 }; /* more than these are told only when asked for */

struct kept_rows {
    struct spool *spool; /* NULL: none are kept */
    uint64_t count;
    bool every; /* however many there are */
};

/* Opens the spool where this process is alone: rows of several processes are not brought together. */
bool kept_rows_open(struct kept_rows *kept, bool every, struct steptime_error *err);
void kept_rows_close(struct kept_rows *kept);

/* Adds the bytes of so many rows. False with *err where the disk is full. */
bool kept_rows_add(struct kept_rows *kept, uint64_t count, str bytes, struct steptime_error *err);

#endif
