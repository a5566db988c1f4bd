/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hardware that this program knows by name: data/hw.csv, built in. A name is
 * found in any usual spelling. One that fits several devices, or none, is not
 * found; nothing is guessed, and the nearest names can be asked for.
 */
#ifndef HW_CATALOGUE_H
#define HW_CATALOGUE_H

#include "base/arena.h"
#include "base/str.h"

/* What a peak of arithmetic is for. Peaks are dense: without structured sparsity. */
enum precision {
    PRECISION_FP32,        /* vector units */
    PRECISION_FP32_MATRIX, /* products of fp32 matrices; above the vector peak on AMD's matrix cores */
    PRECISION_TF32,        /* fp32 matrices rounded by NVIDIA's tensor cores */
    PRECISION_FP16,        /* matrix units */
    PRECISION_BF16,
    PRECISION_FP8,
    PRECISIONS,
};

struct gpu {
    str name;
    double flop_per_s[PRECISIONS]; /* 0: the device lacks it, or no figure is known */
    double memory_bytes_per_s;     /* 0: not known */
    int64_t memory_bytes;          /* -1: not known, or several sizes are sold */
    int64_t sms;                   /* multiprocessors or compute units; -1: not known */
    str source;
};

/* What a trace says of its device beside the name; -1 where it is silent. Tells variants of one name apart. */
struct gpu_signs {
    int64_t memory_bytes, sms;
};

struct catalogue;

/* The built-in table; everything lives in the arena. */
const struct catalogue *catalogue_new(struct arena *arena);

uint32_t catalogue_gpu_count(const struct catalogue *catalogue);
const struct gpu *catalogue_gpu_at(const struct catalogue *catalogue, uint32_t i);

/* NULL where the name fits no device, or several that the signs do not tell apart. */
const struct gpu *catalogue_gpu(const struct catalogue *catalogue, str name, struct gpu_signs signs);

/* Up to three names that come nearest, "A, B, C"; "" where no name is near. */
str catalogue_closest(const struct catalogue *catalogue, struct arena *arena, str name);

/* The same as a part of a sentence: "near are A, B, C". */
str catalogue_hint(const struct catalogue *catalogue, struct arena *arena, str name);

#endif
