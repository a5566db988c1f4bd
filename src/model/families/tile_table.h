/* SPDX-License-Identifier: Apache-2.0 */
/* Which tiles the library of a device has, by its generation: data/tiles.csv. */
#ifndef MODEL_TILE_TABLE_H
#define MODEL_TILE_TABLE_H

#include "tiles.h"

/* What is multiplied: single precision; 16 bits on matrix units; a format of engines, by kernels of theirs; operands that come in 8 bits. */
enum tile_operands { TILES_FP32, TILES_HALF, TILES_FORMAT, TILES_NARROW, TILE_OPERANDS };

enum { MOST_TILES = 24 };

struct tile_list {
    struct tile at[MOST_TILES];
    uint32_t count; /* 1 at least */
};

const struct tile_list *library_tiles(const struct hardware *hardware, enum tile_operands operands, bool batched);

/* Which arithmetic units it has, as a number: 0 Pascal and before, 1 Volta and Turing, 2 Ampere, 3 later ones. */
int hardware_generation(const struct hardware *hardware);

#endif
