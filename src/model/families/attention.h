/* SPDX-License-Identifier: Apache-2.0 */
/* An attention as its families see it. */
#ifndef MODEL_ATTENTION_H
#define MODEL_ATTENTION_H

#include "hw/hardware.h"
#include "ops/operators/kernel.h"

struct attention {
    double batch, heads, key_heads, group; /* group: heads of queries that share keys */
    double queries, keys, past;            /* past: keys that every query meets, where each meets those before it */
    double met;                            /* keys that a query meets at most; a window as long as the keys is none */
    double width, value_width;
    double element_bytes, key_bytes;
    double cached; /* elements of keys and values of a position and head */
    bool causal, windowed;
    double sms, clocks_us, flop_per_us, bytes_per_us; /* of the device; FLOP of its type on one multiprocessor */
};

struct attention attention_of(const struct kernel *kernel, const struct hardware *hardware);

/* Few queries after a cache, whose reading takes the time: cut in parts, each with all queries that share its keys. */
bool attention_decodes(const struct kernel *kernel);

/* Latent attention is written anew for each generation, or falls back on kernels for anything (set after seeing A100). */
double attention_shift(const struct kernel *kernel);

/* Heads wider than 128 have kernels of their own, whose choice varies: off by so much more (set after seeing them). */
double attention_doubt(const struct kernel *kernel);

#endif
