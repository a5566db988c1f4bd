/* SPDX-License-Identifier: Apache-2.0 */
/* What a notebook's file holds, before it is a program. */
#ifndef NOTEBOOK_READ_H
#define NOTEBOOK_READ_H

#include "notebook.h"

/* A cell as the file has it. */
struct found {
    uint32_t number, first_piece, piece_count;
    str before;   /* blanks before the first string of a list */
    str between;  /* what stands between its first two */
    bool is_code; /* says cell_type */
    bool has_source, is_list, odd;
};

/* Code cells, and the strings of their sources. */
struct contents {
    struct notebook_piece *pieces; /* columns in bytes from 0 */
    str *texts;                    /* of the pieces, decoded */
    size_t piece_count;
    struct found *found;
    size_t found_count;
};

/* Fills the notebook, but for file_bytes. Everything lies in the arena. */
void build_program(const struct contents *contents, struct arena *arena, struct notebook *notebook);

#endif
