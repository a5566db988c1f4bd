/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers whose digits are mostly noise, such as times, in as few bits as they hold. A range coder: each bit costs what its
 * surprise is worth, by how often it was seen so far in its column. Of a number go the place of its highest bit and the
 * bits below that, of which the first four are learnt and the rest stand as they are.
 *
 * Reading never fails: behind the end there are zeros, and noise_whole says at last whether the bytes ended as they should.
 */
#ifndef SKETCH_NOISE_H
#define SKETCH_NOISE_H

#include "base/arena.h"
#include "base/buf.h"

struct noise;

/* Columns are numbered below `columns`: numbers of one column are alike. Both live in the arena. */
struct noise *noise_writer(uint32_t columns, struct arena *arena);
struct noise *noise_reader(str bytes, uint32_t columns, struct arena *arena);

void noise_put(struct noise *noise, uint32_t column, int64_t value);
int64_t noise_get(struct noise *noise, uint32_t column);

/* How many bits it takes at least: to choose among what may be expected. */
int64_t noise_size(int64_t value);

/* All that was put, as bytes that end it; "" where that was nothing. Once. */
str noise_bytes(struct noise *noise, struct arena *arena);

/* Whether exactly the bytes that there are were read. */
bool noise_whole(const struct noise *noise);

#endif
