/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs in a tenth of their room, for who must keep those of all steps of all
 * ranks and looks at one at a time. What comes out is what went in. The texts of
 * all packed programs are kept once.
 */
#ifndef PROGRAM_PACK_H
#define PROGRAM_PACK_H

#include "program.h"

struct program_texts;
struct program_texts *program_texts_new(void);
void program_texts_free(struct program_texts *texts); /* NULL is fine */

struct packed_program {
    const uint8_t *at;
    size_t bytes;
};

/* In the arena; needs nothing of the program any more. Several threads may pack with the same texts. */
struct packed_program program_pack(const struct program *program, struct program_texts *texts, struct arena *arena);

/* In the arena, its texts in `texts`, with which it was packed. Not while others pack. */
struct program program_unpack(struct packed_program packed, const struct program_texts *texts, struct arena *arena);

#endif
