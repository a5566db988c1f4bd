/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the CUDA recorder's file (format.h), taken apart. Bytes may be anything. */
#ifndef CUDAFILE_ROWS_H
#define CUDAFILE_ROWS_H

#include "base/str.h"
#include "format.h"

/* A row: its kind and what is left of its fields. Asked for more fields than there are it gives 0, and is short. */
struct cudafile_fields {
    int kind;
    const unsigned char *at, *end;
    bool is_short;
};

/* Takes the next whole row of *payload. False: there is none; *payload is then what cannot be read, empty where all was. */
bool cudafile_next(str *payload, struct cudafile_fields *row);

uint64_t cudafile_number(struct cudafile_fields *row);
uint32_t cudafile_small(struct cudafile_fields *row); /* short where it does not fit */
str cudafile_rest(struct cudafile_fields *row);       /* the text that ends it */

/* A section's head. False: it is none. */
struct cudafile_head {
    uint32_t bytes, rows, check;
};
bool cudafile_head(const unsigned char at[CUDAFILE_SECTION], struct cudafile_head *head);

#endif
