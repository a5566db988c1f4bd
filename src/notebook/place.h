/* SPDX-License-Identifier: Apache-2.0 */
/* The strings of the file that a place of the program stands in. */
#ifndef NOTEBOOK_PLACE_H
#define NOTEBOOK_PLACE_H

#include "notebook.h"

/* The piece of a cell in which a byte of the program lies, the later one between two; NULL where the cell has none. */
const struct notebook_piece *piece_at(const struct notebook *notebook, const struct notebook_cell *cell, uint32_t byte);

/* Bytes between the quotes that come before a byte of the program. */
size_t quoted_bytes(const struct notebook_piece *piece, uint32_t byte);

#endif
