/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What families share that cut their work into tiles, a block of threads each: a
 * product of matrices on a device, its tiles, and the waves in which blocks run over
 * the multiprocessors.
 */
#ifndef MODEL_TILES_H
#define MODEL_TILES_H

#include "hw/hardware.h"
#include "ops/operators/kernel.h"

/* C[m x n] = A[m x k] B[k x n], `batch` of them, on a device at a peak. Microseconds. */
struct tiled {
    double batch, m, n, k, element_bytes;
    double sms, flop_per_us, bytes_per_us;
};

struct tiled tiled_of(const struct kernel *kernel, const struct hardware *hardware, double flop_per_s,
                      double element_bytes);

/* Columns (of n) and rows (of m) of a tile. */
struct tile {
    double n, m;
    bool pair; /* two multiprocessors work on it together */
};

/* A tile over all of C. */
struct tiling {
    double waves;         /* of blocks, with k in one part */
    double step_us;       /* a step of k of one full wave, at the peak */
    double operand_bytes; /* read by all tiles together */
};

/* Waves of blocks, with k in parts: of a tile that several multiprocessors share, one block each. */
double tile_waves(const struct tiled *product, const struct tile *tile, double parts);

/* Parts that products on matrix units may cut k into, the fewest first. */
enum { MATRIX_CUTS = 9 };
extern const double matrix_cuts[MATRIX_CUTS];

/* Adding up parts: a start, and 4 bytes of each part of C there and back, at a share of the memory rate. 0 of one part. */
double parts_us(const struct tiled *product, double parts, double start_us, double rate);

struct tiling tiling_of(const struct tiled *product, const struct tile *tile);

/* Waves that the time is worth, between those that are filled and those that are begun; blocks of unequal length add a tail. */
double wave_turns(double waves, double tail, double quantum);

/* The share of tiles that the size fills. */
double tile_fill(double size, double tile);

/* How many of the three divide the size: 0 to 3. */
double alignment(int64_t size, int64_t a, int64_t b, int64_t c);

#endif
