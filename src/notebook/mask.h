/* SPDX-License-Identifier: Apache-2.0 */
/* What a cell holds that IPython understands and Python does not. */
#ifndef NOTEBOOK_MASK_H
#define NOTEBOOK_MASK_H

#include "base/str.h"
#include "syntax/syntax.h"

struct masks {
    struct span_of_text *at;
    uint32_t count;
    size_t room;
};

enum cell_kind {
    CELL_PLAIN,
    CELL_MAGIC,  /* a magic of the whole cell, below which is Python: %%time */
    CELL_FOREIGN /* another language, or another process: %%bash */
};

/* Of the first line of a cell. */
enum cell_kind mask_kind(str source);

/*
 * Masks the cell that stands at [begin, begin + length) of a text, in place, and adds the spans that it changed, as bytes
 * of the text. A magic becomes a name that means nothing (`_`) and a comment; of `%time x` the x stays.
 */
void mask_cell(char *text, size_t begin, size_t length, struct masks *masks);

#endif
