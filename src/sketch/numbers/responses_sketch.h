/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rank does when others let it go at other times (breakdown/verdict/responses.h), as a section of its sketch, exact. A
 * sketch of an earlier program has none: then the ranks of its job are replayed each by itself, and that is said.
 */
#ifndef SKETCH_RESPONSES_SKETCH_H
#define SKETCH_RESPONSES_SKETCH_H

#include "breakdown/verdict/respond.h"
#include "sketch/file/sketch.h"

/* In the arena. */
void responses_sketch_write(const struct responses *responses, struct arena *arena, struct sketch *sketch);

/* Of a rank with so many collectives; without steps where there is no such section. False with *err where it is damaged. */
bool responses_sketch_read(const struct sketch *sketch, uint32_t collectives, struct arena *arena,
                           struct responses *out, struct steptime_error *err);

#endif
